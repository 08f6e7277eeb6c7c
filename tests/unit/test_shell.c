/* Scripts that are read and never run: the words that bash would give, what is unknown, and where
 * what is wrong stands. The expected words are those of bash 5 (`printf '<%s>' ...`). */
#include "shell/shell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of the last command as <a><b>; unknown ones as <?...>, doubtful ones as <~...>. */
static const char *last_words(const char *script, const char *set, char *buffer, size_t size)
{
    struct shell shell;
    struct rk_error error;
    size_t used = 0;
    const enum rk_status status =
        shell_read(&shell, "x.sh", script, strlen(script), &set, set ? 1 : 0, &error);
    snprintf(buffer, size, "%s", "");
    if (status != RK_OK) {
        char text[700];
        rk_error_format(&error, text, sizeof text);
        snprintf(buffer, size, "%s", text);
    } else if (shell.commands) {
        const struct shell_command *command = &shell.command[shell.commands - 1];
        for (size_t i = 0; i < command->count; i++) {
            const struct shell_word *word = &shell.word[command->first + i];
            used += (size_t)snprintf(buffer + used, size - used, "<%s%s>",
                                     word->unknown ? "?"
                                     : word->maybe ? "~"
                                                   : "",
                                     word->text);
        }
    }
    shell_release(&shell);
    return buffer;
}

static void expect_words(const char *script, const char *words)
{
    char buffer[2048];
    cr_expect_str_eq(last_words(script, NULL, buffer, sizeof buffer), words,
                     "%s\n gives %s\n not %s", script, buffer, words);
}

Test(shell, words)
{
    expect_words("x a b  c", "<x><a><b><c>");
    expect_words("x 'a b' \"c d\" e\\ f", "<x><a b><c d><e f>");
    expect_words("x a \\\n  b # c\n", "<x><a><b>");
    expect_words("x a#b '#' # c", "<x><a#b><#>");
    expect_words("x \"\" ''", "<x><><>");
    expect_words("x a\"b c\"d", "<x><ab cd>");
    expect_words("x > out 2>&1 < in a", "<x><a>");
    expect_words("x a; y b & z c", "<z><c>");
    expect_words("x a\r\ny b\r\n", "<y><b>");
    expect_words("cat <<EOF\nno $words 'here\nEOF\nx a", "<x><a>");
    expect_words("x a |& tee log", "<tee><log>");
}

Test(shell, variables)
{
    expect_words("A=1 B=\"b c\"\nx $A $B \"$B\" ${A}2 $A$A", "<x><1><b><c><b c><12><11>");
    expect_words("A=\nx $A \"$A\" a$A", "<x><><a>");
    expect_words("A='  a  b '\nx p$A q", "<x><p><a><b><q>");
    expect_words("A=1\nA+=2\nx $A", "<x><12>");
    expect_words("export A=1 B='2 3'\nx $B", "<x><2><3>");
    expect_words("x ${N:-8} ${N-} ${N:=4} $N", "<x><8><4><4>");
    expect_words("N=\nx ${N:-a} \"${N-a}\" ${N:+b} ${N+c}", "<x><a><><c>");
    expect_words("A=path/to/file.tar.gz\nx ${A##*/} ${A%%.*} ${A#*/} ${A%.gz}",
                 "<x><file.tar.gz><path/to/file><to/file.tar.gz><path/to/file.tar>");
    expect_words("A=a-b-c\nx ${A/-/+} ${A//-/+} ${A:2:1} ${A:2} ${A^^} ${#A}",
                 "<x><a+b-c><a+b+c><b><b-c><A-B-C><5>");
    expect_words("A=B\nB=7\nx ${!A}", "<x><7>");
    expect_words("x '$A' \"\\$A\" \\$A", "<x><$A><$A><$A>");
}

Test(shell, arrays)
{
    expect_words("A=(a 'b c' # no\n d)\nx \"${A[@]}\" ${#A[@]} ${A[1]} $A",
                 "<x><a><b c><d><3><b><c><a>");
    expect_words("A=(a b)\nA+=(c)\nx ${A[@]} \"${A[*]}\" p\"${A[@]}\"q",
                 "<x><a><b><c><a b c><pa><b><cq>");
    expect_words("A=(a b c)\nx ${A[@]:1} ${A[@]:0:2} ${N:-p q} \"${N:-p q}\"",
                 "<x><b><c><a><b><p><q><p q>");
    expect_words("A=()\nx \"${A[@]}\" b", "<x><b>");
    expect_words("A=(\"--flag value\")\nx ${A[@]} \"${A[@]}\"", "<x><--flag><value><--flag value>");
    expect_words("N=4\nA=(--n $N --m $((N*2)))\nx \"${A[@]}\"", "<x><--n><4><--m><8>");
}

Test(shell, arithmetic)
{
    expect_words("A=8 B=3\nx $((A*B+1)) $(( $A / B )) $((A%B)) $((2**10)) $((-A+1))",
                 "<x><25><2><2><1024><-7>");
    expect_words("x $((1+2*3)) $(((1+2)*3)) $((7>3)) $((1<<4|1)) $((0?5:6)) $((!0))",
                 "<x><7><9><1><17><6><1>");
    expect_words("A=B\nB=5\nx $((A+1)) $((2 == 2 && 3 != 3))", "<x><6><0>");
}

Test(shell, conditions)
{
    expect_words("A=1\nif [ $A -eq 1 ]; then x a; else x b; fi", "<x><a>");
    expect_words("A=7b\nif [[ $A == 7* && -n $A ]]; then x a; elif true; then x b; fi", "<x><a>");
    expect_words("A=\nif [ -z \"$A\" ]; then A=3; fi\nx $A", "<x><3>");
    expect_words("case v2 in v1) x a;; v2|v3) x b;; *) x c;; esac", "<x><b>");
    expect_words("for i in 1 2 3; do x $i; done", "<x><3>");
    expect_words("f() { x \"$1\" $# \"$@\"; }\nf a 'b c'", "<x><a><2><a><b c>");
    expect_words("if (( 3 > 2 )); then x yes; fi", "<x><yes>");
    expect_words("false && x a\ntrue || x b\nmkdir d && x c", "<x><c>");
    expect_words("x a\nexit 0\nx b", "<x><a>");
    expect_words("srun -N 4 bash -c \"python a.py --n $((2*2))\"",
                 "<srun><-N><4><python><a.py><--n><4>");
    expect_words("C=\"p q\"\neval x $C", "<x><p><q>");
    expect_words("x a \"$@\" b", "<x><a><b>");
    expect_words("f() { a=$1; shift; x $a $#; }\nf 1 2 3", "<x><1><2>");
    expect_words("A=1\n( A=2 )\nx $A", "<x><1>");
}

Test(shell, unknown)
{
    expect_words("x $HOME a$B \"$C d\"", "<x><?$HOME><?a$B><?$C d>");
    expect_words("D=$(date)\nx $D `ls`", "<x><?$D><?$(...)>");
    expect_words("N=$(ls | wc -l)\nx $((N*2))", "<x><?$N>");
    expect_words("O=\"--a $B --c 8\"\nx $O \"$O\"", "<x><--a><?$B><--c><8><?--a $B --c 8>");
    expect_words("O=\"--a $B --c 8\"\nbash -c \"x $O\"", "<x><--a><?$B><--c><8>");
    expect_words("if [ -f a ]; then A=1; else A=2; fi\nx $A", "<x><?$A>");
    expect_words("A=(a)\nif [ -n \"$RANK\" ]; then A+=(b c); fi\nx ${A[@]}", "<x><a><~b><~c>");
    expect_words("A=\"a b\"\nif [ -n \"$RANK\" ]; then A+=\" c d\"; fi\nA+=\" e\"\nx $A",
                 "<x><a><b><~c><~d><e>");
}

Test(shell, sets)
{
    char buffer[256];
    cr_expect_str_eq(last_words("N=1\nx $N", "N=8", buffer, sizeof buffer), "<x><8>");
    cr_expect_str_eq(last_words("N=$(ls)\nx $((N*2))", "N=8", buffer, sizeof buffer), "<x><16>");
    cr_expect_str_eq(last_words("x", "N", buffer, sizeof buffer),
                     "--set: \"N\" is not an assignment: give NAME=VALUE");
}

Test(shell, wrong)
{
    expect_words("x 'a", "x.sh:1:3: ' is not closed");
    expect_words("a\n  x \"b", "x.sh:2:5: \" is not closed");
    expect_words("if true; then x", "x.sh:1:16: 'fi' is expected here, for the 'if' in line 1");
    expect_words("A=(a b", "x.sh:1:7: the array that begins in line 1 is not closed");
    expect_words("fi", "x.sh:1:1: 'fi' ends nothing");
    expect_words("f() { f; }\nf", "x.sh:1:7: nested too deeply");
    expect_words("x $((1/0))", "<x><?$(...)>");
}

/* Text files beside a script are read where it sources them; a file that it writes is kept. */
Test(shell, files_of_a_script)
{
    char folder[] = "reckon-shell-XXXXXX", path[128], script[160];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/env.sh", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs("A=1\nB=\"$1\"\nx $A \"$@\"\n", file);
    fclose(file);
    snprintf(script, sizeof script, "%s/run.sh", folder);
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"source env.sh\ny $A", "<y><1>"},
        {". $(dirname $0)/env.sh; y $A", "<y><1>"},
        {"D=$(cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" >/dev/null 2>&1 && pwd)\n. "
         "\"$D/env.sh\"\n"
         "y $A",
         "<y><1>"},
        {"D=$(dirname \"$(realpath \"$0\")\")\n. $D/env.sh\ny $A", "<y><1>"},
        {"D=$(cd conf && pwd | tr a b)\ny $D", "<y><?$D>"},
        {"D=$(realpath --relative-to=/a /a/b)\ny $D", "<y><?$D>"},
        {"y $(which swift) $(command -v torchrun)", "<y><swift><torchrun>"},
        {"D=$(which -a swift)\ny $D", "<y><?$D>"},
        {"source /else/where/run/env.sh\ny $A", "<y><1>"},
        {"[[ -v NEVER_SET ]] && A=2\nB=3\n[[ -v B ]] && A=$B\ny $A", "<y><3>"},
        {"L=()\n[ \"$X\" = 1 ] && L+=(a)\nN=${#L[@]}\ny $N", "<y><?$N>"},
        {"source absent.sh\ny $A", "<y><?$A>"},
        {"torchrun bash env.sh p q", "<torchrun><x><1><p><q>"},
        {"sbatch <<EOF\nx $((1 + 1)) \\$A\nEOF\n", "<x><2><?$A>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct shell shell;
        struct rk_error error;
        char got[256] = "";
        size_t used = 0;
        const enum rk_status status =
            shell_read(&shell, script, rows[i].text, strlen(rows[i].text), NULL, 0, &error);
        cr_assert_eq(status, RK_OK, "%s", error.text);
        const struct shell_command *last = &shell.command[shell.commands - 1];
        if (strcmp(shell.word[last->first].text, "sbatch") == 0) last--; /* its script came first */
        for (size_t k = 0; k < last->count; k++)
            used += (size_t)snprintf(got + used, sizeof got - used, "<%s%s>",
                                     shell.word[last->first + k].unknown ? "?" : "",
                                     shell.word[last->first + k].text);
        cr_expect_str_eq(got, rows[i].words, "%s gives %s", rows[i].text, got);
        shell_release(&shell);
    }
    remove(path);
    remove(folder);
}

Test(shell, documents_written_to_files)
{
    static const char text[] = "N=4\nF=ds.json\ncat <<EOT > $F\n{\"a\": $N, \"b\": "
                               "\"$M\"}\nEOT\ncat > plain <<'E'\n$N\nE\n";
    struct shell shell;
    struct rk_error error;
    struct shell_word word;
    cr_assert_eq(shell_read(&shell, "x.sh", text, sizeof text - 1, NULL, 0, &error), RK_OK);
    cr_expect_str_eq(shell_file(&shell, "ds.json", &word), "{\"a\": 4, \"b\": \"$M\"}\n");
    cr_expect(word.unknown);
    cr_expect_str_eq(shell_file(&shell, "plain", &word), "$N\n");
    cr_expect_null(shell_file(&shell, "other", &word));
    shell_release(&shell);
}

Test(shell, places_to_fill_in)
{
    expect_words("x --a <your path> b", "<x><--a><?$(...)><b>");
    expect_words("P=<Specify path and file prefix>_document\nx $P", "<x><?$(...)_document>");
    expect_words("x <in >out a", "<x><a>");
    expect_words("x <in>out a", "<x><a>");
    expect_words("x 2>&1 <in", "<x>");
}

Test(shell, unknown_parts_of_nested_commands)
{
    expect_words("CMD=\"$(pwd)/a.py --b\"\nsrun bash -c \"torchrun $CMD\"",
                 "<srun><torchrun><?$(...)/a.py><--b>");
}

/* What is asked for is what the condition depends on, and by the name that it has in the script. */
Test(shell, what_to_give)
{
    static const char text[] = "SIZE=$2\nif [ $SIZE = 7B ]; then\n H=4096\nelse\n H=5120\nfi\nx $H";
    struct shell shell;
    struct rk_error error;
    cr_assert_eq(shell_read(&shell, "x.sh", text, sizeof text - 1, NULL, 0, &error), RK_OK);
    shell_fail_unknown(&shell, &shell.word[1], &error);
    cr_expect(strstr(error.text, "give --set SIZE=VALUE"), "%s", error.text);
    shell_release(&shell);
}
