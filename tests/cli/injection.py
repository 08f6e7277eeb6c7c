"""Names and remarks of models and machines are text on every page: same elements as with plain names, nothing that runs.
usage: injection.py RECKON DATA, in a folder of its own"""
import collections, html.parser, json, os, subprocess, sys

reckon, data = sys.argv[1:]
plain = "Plain name"
# a name has at most 127 bytes
names = [
    "</script><script>alert(1)</script></style></title><img src=x onerror=alert(1)>",
    "\"' onmouseover=\"alert(1)\" onclick='alert(1)' ]]><svg onload=alert(1)>",
    "<!--<script> <a href=\"javascript:alert(1)\">&lt;b&gt;&#60;b&#62;", "javascript:alert(1)",
]
job = ["-m", "m.json", "-s", "s.json", "-g", "8"]
pages = {
    "report": ["report", *job, "pp2 gbs16", "--title", "NAME", "-o", "PAGE"],
    "report of two": ["report", *job, "tp2 gbs16", "tp1 gbs16", "-o", "PAGE"],
    "report of a search": ["report", "--search", *job, "-b", "16", "--tensor", "1,2", "-k", "3", "-o", "PAGE"],
    "diff": ["diff", *job, "tp2 gbs16", "tp1 gbs16", "-o", "PAGE"],
    "timeline": ["timeline", *job, "pp2 gbs16", "-o", "PAGE"],
    "place": ["place", *job, "tp2 gbs16", "--draw", "PAGE"],
    "predict": ["predict", *job, "tp2 gbs16", "-o", "PAGE"],
    "models": ["models", "m.json", "-o", "PAGE"],
    "systems": ["systems", "s.json", "-o", "PAGE"],
}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.runs = collections.Counter(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        named = sorted(name for name, _ in attributes if name != "class")  # long cells have one
        self.elements[tag, tuple(named)] += 1
        self.runs += [(tag, name, value) for name, value in attributes if name.startswith("on")]
        self.runs += [(tag, name, value) for name, value in attributes
                      if (value or "").strip().lower().startswith("javascript:")]

    handle_startendtag = handle_starttag

    def handle_data(self, text):
        if self.cdata_elem == "script" and any(mark in text for mark in ("<!--", "<script", "</script", "\u2028")):
            self.runs.append(("script", text[:80]))


def rename(value, name, most=127):
    """All that a file says in words; names of parts are shorter."""
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(member, (dict, list)):
            rename(member, name, 31)
        elif isinstance(member, str) and key in ("name", "description", "note"):
            value[key] = name.encode()[:most].decode(errors="ignore")
        elif isinstance(member, str) and (key == "source" or isinstance(value, list)) and " " in member:
            value[key] = name


def ask(name):
    for file, path in (("m.json", "models/gpt2-124m.json"), ("s.json", "systems/h100-sxm5-80g.json")):
        with open(os.path.join(data, path)) as source:
            document = json.load(source)
        rename(document, name)
        with open(file, "w") as out:
            json.dump(document, out)
    made = {}
    for what, words in pages.items():
        file = what.replace(" ", "-") + ".html"
        words = [{"NAME": name, "PAGE": file}.get(word, word) for word in words]
        run = subprocess.run([reckon, *words], capture_output=True, text=True)
        if not os.path.exists(file):
            sys.exit(f"no page of {what}: {run.stderr}")
        with open(file, encoding="utf-8") as page:
            made[what] = Page(page.read())
        os.unlink(file)
    return made


expected, failed = ask(plain), 0
for name in names:
    for what, page in ask(name).items():
        if page.runs or page.elements != expected[what].elements:
            more = page.elements - expected[what].elements
            print(f"{what} of {name!r}: runs {page.runs[:3]}, other elements {list(more)[:5]}")
            failed = 1
sys.exit(failed)
