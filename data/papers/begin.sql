-- @setup
-- What each row of the paper's file `published` is here: a number or a text, the answer's label, or why there is none.
CREATE TEMP TABLE given(id INTEGER, here, row TEXT, why TEXT);
-- Scripts ask by the setting's words: has(setting, 'IB') and so on are LIKE.
