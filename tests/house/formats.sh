#!/bin/sh
# The tables of data/formats: the generator names each wrong row with its file and line, and no file
# stays behind. That no row stands behind an equal one is the unit test readers.tables.
make_keys=$RECKON_BUILD/make_keys
[ -x "$make_keys" ] || { echo "there is no generator yet"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

refused() # NAME EXPECTED: standard input is the table, a line of expected what is said of it
{
    cat >table.csv
    "$make_keys" table.csv table.h 2>said && { echo "$1: is taken"; failed=1; }
    [ ! -e table.h ] || { echo "$1: leaves a file behind"; failed=1; }
    [ "$(cat said)" = "$2" ] || { echo "$1:"; cat said; failed=1; }
}

head='name,values,since,until,tools,effect,why'
refused 'an unknown effect' 'table.csv:2: a: the effect is none, not-followed, unsupported, later, set, value, on, off, map, count, integer, number, flag, text or word' <<EOF
$head
a,one,9,,,nothing,
EOF
refused 'several at once' 'table.csv:3: a b: a name has letters, digits, '\''_'\'', '\''-'\'', '\''.'\'' and '\''*'\''
table.csv:4: b: say why, for whom reads the message
table.csv:5: c: nothing is said of it, so it needs no reason
table.csv:6: d: values are none, one, many, count or number
table.csv:7: e: it is gone before it came
table.csv:8: f: tools are core, megatron-2, deepspeed, pai and mindspeed
table.csv:9: g: either a version of Megatron Core has it or tools are named
table.csv:10: b: is in line 4, too' <<EOF
# a comment
$head
a b,one,9,,,none,
b,one,9,,,unsupported,
c,one,9,,,none,because
d,two,9,,,none,
e,one,12,11,,none,
f,one,,,pai llm,none,
g,one,,,,none,
b,one,9,,,unsupported,again
EOF
refused 'arguments' 'table.csv:2: a: say which argument it is
table.csv:3: b: is no argument by its effect' <<EOF
name,effect,argument
a,on,
b,none,--b
EOF
refused 'a column' 'table.csv:1: colour: no such column' <<EOF
name,colour
a,red
EOF
refused 'fields' 'table.csv:2: has 3 fields where the first line names 2 columns: put text with commas in quotes' <<EOF
name,why
a,b,c
EOF

cat >table.csv <<EOF
name,effect,off,argument,why
z_*,not-followed,a|b,,"told, in ""quotes"""
a,none,,,
b,value,,--b-size,
c,map,,silu=--swiglu|gelu=,
EOF
"$make_keys" table.csv table.h || failed=1
cat >expected <<'EOF'
FORMAT_KEY("a", NONE, NULL, NULL, NO_VALUE, 0, 0, 0)
FORMAT_KEY("b", VALUE, NULL, "--b-size", NO_VALUE, 0, 0, 0)
FORMAT_KEY("c", MAP, "silu=--swiglu|gelu=", NULL, NO_VALUE, 0, 0, 0)
FORMAT_KEY("z_*", NOT_FOLLOWED, "a|b", "told, in \"quotes\"", NO_VALUE, 0, 0, 0)
EOF
diff expected table.h || failed=1

cat >table.csv <<EOF
# rows in their order
Id,text,Last,MIXED
TWO,"a ""b"", c",0x2,SHAPE a=1 b
ONE,,,
EOF
"$make_keys" table.csv table.h || failed=1
cat >expected <<'EOF'
ROW(TWO, "a \"b\", c", 0x2, "" SHAPE "a=1 " "b ")
ROW(ONE, "", 0, "")
EOF
diff expected table.h || failed=1

for file in "$RECKON_SOURCE"/data/formats/*.csv "$RECKON_SOURCE"/data/unicode/*.csv "$RECKON_SOURCE"/published/calculon/*.csv; do
    [ -f "$file" ] || continue # published can be removed
    part=${file##*/}
    grep -rqsF "\"tables/${part%.csv}.h\"" "$RECKON_SOURCE/formats" "$RECKON_SOURCE/executor" \
        "$RECKON_SOURCE/cli" "$RECKON_SOURCE/published" ||
        { echo "$file: nothing includes it"; failed=1; }
done
exit $failed
