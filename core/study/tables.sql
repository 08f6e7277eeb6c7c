CREATE TABLE study(name TEXT PRIMARY KEY, value);
CREATE TABLE figure(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT);
CREATE TABLE model(name TEXT PRIMARY KEY, layers INTEGER, hidden INTEGER,
    feedforward INTEGER, heads INTEGER, head_dim INTEGER, sequence INTEGER,
    parameters INTEGER);
CREATE TABLE system(name TEXT PRIMARY KEY, description TEXT, hbm_bytes REAL, hbm_Bps REAL,
    mem2_bytes REAL, mem2_Bps REAL, net0_size INTEGER, net0_Bps REAL, net1_size INTEGER,
    net1_Bps REAL);
CREATE TABLE point(figure INTEGER NOT NULL, number INTEGER NOT NULL, model TEXT NOT NULL,
    system TEXT NOT NULL, gpus INTEGER, max_batch INTEGER, datatype TEXT,
    framework TEXT, sequence INTEGER, axes TEXT,
    mode TEXT, top INTEGER, key TEXT NOT NULL,
    run_tokens REAL, run_days REAL, run_gpu_hours REAL, run_cost REAL, run_kW REAL,
    run_long_step_s REAL, short_days REAL, short_gpu_hours REAL, short_cost REAL,
    run_interval_s REAL, run_steps REAL, run_blocking_s REAL, run_rate REAL, run_slowed REAL,
    PRIMARY KEY(figure, number)) WITHOUT ROWID;
CREATE INDEX point_key ON point(key);
CREATE TABLE search(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL, model TEXT, system TEXT, gpus INTEGER, max_batch INTEGER,
    datatype TEXT, framework TEXT, sequence INTEGER, axes TEXT, mode TEXT, top INTEGER,
    strategies INTEGER, fits INTEGER,
    network_too_small INTEGER, network_not_filled INTEGER, too_few_blocks INTEGER,
    memory_exceeded INTEGER, refused TEXT, bounded INTEGER, timed INTEGER, found INTEGER,
    seconds REAL, strategies_per_s REAL, finished TEXT);
CREATE TABLE seal(kind TEXT NOT NULL, id INTEGER NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY(kind, id)) WITHOUT ROWID;
CREATE TRIGGER unseal AFTER DELETE ON search BEGIN
    DELETE FROM seal WHERE kind = 'search' AND id = old.id; END;
