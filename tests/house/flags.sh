#!/bin/sh
# The library names what a caller gives as `key`, never as an option of the command line (status.h):
# who calls it from C or Python has no --flags. Formats and checks of other tools name theirs.
cd "$RECKON_SOURCE" || exit 1
literals() # PATTERN: lines of the library where a string has it
{
    grep -rnE --exclude-dir=cli "\"(([^\"\\\\]|\\\\.)*[^-[:alnum:]\"\\\\])?$1" core formats executor published/calculon published/galvatron --include='*.[ch]' --include='*.def' |
        grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/\*|\*|//)'
}
failed=0
if literals '--[a-z]' | grep -vE '^formats/'; then
    echo 'Name what the caller gives in backquotes, "a lower `rate`": the command line says "--rate" of it.'
    failed=1
fi
# Each has its option, else the command line would show backquotes.
for key in $(literals '`[a-z_]+`' | cut -d: -f3- | grep -oE '`[a-z_]+`' | tr -d '`' | sort -u); do
    option=$(echo "$key" | tr _ -)
    grep -qrF ".name = \"$option\"" cli executor/cli formats/cli || grep -qF "{\"$key\", \"" cli/keys.c ||
        { echo "\`$key\` has no option --$option in cli, nor a row in cli/keys.c"; failed=1; }
done
exit $failed
