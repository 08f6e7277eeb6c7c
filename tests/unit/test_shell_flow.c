/* What a script leaves in V, loops, functions and conditions followed: the values are what bash 5
 * prints for `V=...; echo "<$V>"` in an empty environment; "?" is what nobody can know who does not
 * run it, which is never to be a value. */
#include "shell/shell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct { const char *script, *value; } rows[] = {
    /* a condition that is unknown decides what stands behind it */
    {"V=1; [ \"$D\" = 1 ] && V=2", "?"},
    {"V=1; [[ $D == 1 ]] && V=2 || V=3", "?"},
    {"V=1; test \"$X\" = y || V=2", "?"},
    {"V=1; mkdir d && V=2", "2"},
    {"V=1; mkdir d || V=2", "?"},
    {"V=1; [ a = b ] && V=2 || V=3", "3"},
    {"V=1; ! false && V=4", "4"},
    /* arithmetic that assigns */
    {"V=2; ((V*=4))", "8"},
    {"V=2; ((V++)); ((++V))", "4"},
    {"V=2; let V=V*3; let \"V = V + 1\"", "7"},
    {"V=1; ((V<<=3, V-=1))", "7"},
    {"i=5; V=$((i--)); V=$V$i", "54"},
    {"V=$((W=5)); V=$W", "5"},
    {"V=05; V=$((10#$V + 16#ff))", "260"},
    {"V=$[3+4]", "7"},
    {"declare -i V=7; V+=1", "8"},
    /* loops */
    {"for ((i=0;i<3;i++)); do V=$i; done", "2"},
    {"V=1; while [ $V -lt 5 ]; do V=$((V+1)); done", "5"},
    {"V=1; until [ $V -ge 4 ]; do V=$((V*2)); done", "4"},
    {"V=1; while [ $V -lt $N ]; do V=$((V+1)); done", "?"},
    {"V=1; for i in 1 2 3; do [ $i = 2 ] && break; V=$i; done", "1"},
    {"V=1; for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; V=$V$i; done", "113"},
    {"V=1; for i in 1 2 3; do if [ $i = $N ]; then break; fi; V=$i; done", "?"},
    {"V=; for i in 1 2; do for j in 1 2 3; do [ $j = 2 ] && continue 2; V=$V$j; done; done", "11"},
    {"V=; for i in 1 2; do for j in 1 2 3; do [ $j = 2 ] && break 2; V=$V$j; done; done", "1"},
    {"V=3; while true; do V=4; break; done", "4"},
    {"V=3; while :; do sleep 1; done", "3"},
    {"for i in {2..4} {9..8}; do V=$V$i; done", "?"},
    {"V=; for i in {2..4} {9..8}; do V=$V$i; done", "23498"},
    {"V=; for i in $(seq 2 3); do V=$V$i; done", "23"},
    {"X='a b'; V=3; for w in $X; do V=$((V+1)); done", "5"},
    /* what only a loop over no arguments sets is empty; what the caller may set is not known */
    {"for a in $*; do P=$a; done; V=1; [[ $P == torch ]] && V=2", "1"},
    {"for a in $*; do P=$a; done; V=1; [ \"$P\" != torch ] && V=2", "2"},
    {"if [ a = b ]; then P=x; fi; V=1; [ $P = x ] || V=2", "2"},
    {"V=1; [[ $P == torch ]] && V=2", "?"},
    {"V=1; [ -n \"$WANDB_API_KEY\" ] && V=2", "1"},
    {"V=1; [ -n \"$SLURM_JOB_ID\" ] && V=2", "?"},
    /* functions */
    {"f() { local V=9; }; V=2; f", "2"},
    {"f() { V=9; }; V=2; f", "9"},
    {"f() { local W=$1; V=$W; }; f 7", "7"},
    {"V=3; f() { return 1; }; f && V=4", "3"},
    {"V=3; f() { return 1; }; f || V=4", "4"},
    {"V=3; f() { return 0; }; if f; then V=4; fi", "4"},
    {"V=3; f() { [ $1 = a ]; }; if f b; then V=4; fi", "3"},
    {"f() { for a in \"$@\"; do V=$a; done; }; f 1 2 6", "6"},
    /* shells of their own */
    {"V=4; (V=5)", "4"},
    {"V=4; { V=5; }", "5"},
    {"V=4; echo 6 | while read x; do V=$x; done", "4"},
    {"V=4; V=2 true", "4"},
    {"V=3; time V=4", "4"},
    /* lists by index and by name */
    {"A=(1 2 3); A[1]=8; V=${A[1]}${A[-1]}", "83"},
    {"declare -A M; M[a]=3; M[b]=7; V=${M[b]}", "7"},
    {"declare -A M=([7b]=3 [13b]=9); K=13b; V=${M[$K]}", "9"},
    {"declare -A M=([7b]=3); V=${M[70b]:-none}", "none"},
    {"A=(1 2); A[$N]=8; V=${A[1]}", "?"},
    {"A=(1 2); if [ $N = 1 ]; then A=(3 4); fi; V=${A[1]}", "?"},
    {"declare -A M=([a]=1); if [ $N = 1 ]; then M[b]=2; fi; V=${M[b]}", "?"},
    /* texts */
    {"X=8B; if [[ $X =~ ^([0-9]+)B$ ]]; then V=${BASH_REMATCH[1]}; fi", "8"},
    {"X=70M; V=1; if [[ $X =~ (B|G)$ ]]; then V=2; fi", "1"},
    {"V=1; if [ 010 -eq 10 ]; then V=2; fi", "?"},
    {"case 7B in 7B) V=3;& 8B) V=5;; *) V=6;; esac", "5"},
    {"set -- 3 4 5; V=$2", "4"},
    /* commands that only compute */
    {"V=$(echo 8)", "8"},
    {"V=`expr 2 \\* 4`", "8"},
    {"V=$(( $(echo 3) * 2 ))", "6"},
    {"V=$(echo 4*3 | bc)", "12"},
    {"V=$(basename a/run_7b.sh .sh)$(dirname a/b)", "run_7ba"},
    {"V=$(printf \"%d\" 5)", "5"},
    {"V=$(echo $N)", "?"},
    {"V=$(echo 7 | cut -c1)", "?"},
    {"V=$(nvidia-smi -L | wc -l)", "?"},
};
/* clang-format on */

Test(shell_flow, leaves_what_bash_leaves)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct shell shell;
        struct rk_error error;
        snprintf(text, sizeof text, "%s\nx \"$V\"", rows[i].script);
        cr_assert_eq(shell_read(&shell, "x.sh", text, strlen(text), NULL, 0, &error), RK_OK,
                     "%s: %s", rows[i].script, error.text);
        const struct shell_command *last = &shell.command[shell.commands - 1];
        const struct shell_word *word = &shell.word[last->first + 1];
        const char *got = word->unknown || word->maybe ? "?" : word->text;
        cr_expect_str_eq(got, rows[i].value, "%s leaves %s, not %s", rows[i].script, got,
                         rows[i].value);
        shell_release(&shell);
    }
}

/* A variable that the script asks for and never sets is empty, as bash has it; what launchers set
 * is not known. Both are said. */
Test(shell_flow, variables_that_are_asked_for)
{
    static const char text[] = "[ -z \"$TP\" ] && TP=2\n[ -n \"$RANK\" ] && PP=4\nx $TP $PP";
    struct shell shell;
    struct rk_error error;
    cr_assert_eq(shell_read(&shell, "x.sh", text, sizeof text - 1, NULL, 0, &error), RK_OK);
    cr_assert_eq(shell.assumptions, 1);
    cr_expect_str_eq(shell.assumed[0].name, "TP");
    cr_expect_eq(shell.assumed[0].place.line, 1);
    cr_expect_str_eq(shell.word[1].text, "2");
    cr_expect(shell.word[2].unknown);
    shell_fail_unknown(&shell, &shell.word[2], &error);
    cr_expect(strstr(error.text, "give --set RANK=VALUE"), "%s", error.text);
    shell_release(&shell);
}

/* `sed s/A/B/ template > file`: the file is known when all that goes into it is. */
Test(shell_flow, files_of_templates)
{
    static const char text[] = "cat > t.json <<'E'\n{\"stage\": ZERO, \"batch\": GBS}\nE\nZ=2\n"
                               "sed \"s/ZERO/${Z}/\" t.json | sed \"s/GBS/64/g\" > a.json\n"
                               "sed -e s/ZERO/1/ -e \"s/GBS/$B/\" t.json > b.json\n"
                               "sed 's/Z.*/3/' t.json > c.json\n"
                               "if [ \"$RANK\" = 0 ]; then cat t.json > d.json; fi\n";
    struct shell shell;
    struct rk_error error;
    struct shell_word word;
    cr_assert_eq(shell_read(&shell, "x.sh", text, sizeof text - 1, NULL, 0, &error), RK_OK);
    cr_expect_str_eq(shell_file(&shell, "a.json", &word), "{\"stage\": 2, \"batch\": 64}\n");
    cr_expect(!word.unknown);
    cr_expect(shell_file(&shell, "b.json", &word) && word.unknown);
    cr_expect_null(shell_file(&shell, "c.json", &word), "an expression is not followed");
    cr_expect(shell_file(&shell, "d.json", &word) && word.unknown);
    shell_release(&shell);
}
