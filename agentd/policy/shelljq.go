package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// jqLoads are the words with which a program of jq reads other files.
var jqLoads = lazyre.MustCompile(`\b(import|include|modulemeta)\b`)

// jqSettings are the words with which a program of jq reads the settings of its process. Spaces and remarks may stand
// behind the sign of a name.
var jqSettings = lazyre.MustCompile(`\$(?:\s|#[^\n]*\n)*ENV\b|(^|[^.A-Za-z0-9_"$])env\b`)

// jqData is the name of a file that jq reads, and that only looks as if it took the settings away from something.
var jqData = lazyre.MustCompile(`^[A-Za-z][\w./-]*-env\.json$`)

// yqReaches are the words with which a program of yq reads files and settings, writes, or runs commands.
var yqReaches = lazyre.MustCompile(`\b(load\w*|env\w*|strenv|envsubst|system|exec|input_filename|filename|eval|include|import|split_doc|from_file)\b|\$(?:\s|#[^\n]*\n)*(?:ENV|__)`)

var (
	// yqPaths are names of fields in a program of yq.
	yqPaths = lazyre.MustCompile(`(^|[^.])(?:\.[A-Za-z_][A-Za-z0-9_]*)+`)
	// yqLoads are parts of the words with which a program of any yq reads files and settings, or runs commands.
	yqLoads = lazyre.MustCompile(`(?i)load|env|eval|system|exec`)
)

// yqReads says whether a program of yq may read what it is not given.
func yqReads(program string) bool {
	bare := yqPaths.ReplaceAllString(withoutTexts(program), "$1")
	return yqReaches.MatchString(bare) || !yqFile.MatchString(program) && yqLoads.MatchString(bare)
}

// withoutTexts empties the texts in a program of yq. A quote that stands anywhere but where a text may begin can be a
// part of a name, and all texts behind it would begin elsewhere: then nothing is left out, and neither where a text may
// end elsewhere or work something out.
func withoutTexts(program string) string {
	parts := strings.Split(program, `"`)
	if len(parts)%2 == 0 || strings.ContainsAny(program, "\\#") {
		return program
	}
	for i := 0; i+1 < len(parts); i += 2 {
		if p := parts[i]; (p != "" || i > 0) && strings.TrimRight(p, " ([,=|:{") == p {
			return program
		}
		if !strings.ContainsAny(parts[i+1], "()|") {
			parts[i+1] = ""
		}
	}
	return strings.Join(parts, `"`)
}

// yqFile is a word that may be the name of a file as well as a program of yq.
var yqFile = lazyre.MustCompile(`^[A-Za-z0-9_./-]+$`)

// jq computes from what it reads; its program may load no file.
func (j *judge) jq(args []arg) {
	args = withoutIndent(args)
	j.grammar(table["jq"], args)
	if ops := operandsOf(args); len(ops) > 0 && !ops[0].fixed {
		j.raise(Red, "What its program does is only known when it runs.")
	}
	if anyWord(args, jqLoads.MatchString) {
		j.raise(Red, "Its program reads other files.")
	}
	if anyWord(args, func(w string) bool { return jqSettings.MatchString(w) && !jqData.MatchString(w) }) {
		j.raise(Red, "It prints all settings with their values.")
	}
}

// jqTakes are flags of jq with which the words behind them are something else than they look like.
var jqTakes = words("--arg --argjson --slurpfile --rawfile --argfile --args --jsonargs")

// withoutIndent leaves out how far lines are set in: a number that would look like the program.
func withoutIndent(args []arg) []arg {
	if anyWord(args, func(w string) bool { return jqTakes[w] }) {
		return args
	}
	for i := 0; i+1 < len(args); i++ {
		if args[i].text == "--indent" && args[i].fixed && args[i+1].fixed && digits.MatchString(args[i+1].text) {
			return slices.Delete(slices.Clone(args), i, i+2)
		}
	}
	return args
}

// yq reads YAML as jq reads JSON. It changes files in place with one flag, splits into files with another, and its
// language loads files and settings with words of its own.
func (j *judge) yq(args []arg) {
	if len(args) > 0 && (args[0].text == "e" || args[0].text == "eval") && args[0].fixed {
		args = args[1:]
	}
	j.grammar(grammar{
		tier: Green, short: "o:p:rPCMNnjeI:", first: true,
		long: "output-format= input-format= unwrapScalar prettyPrint colors no-colors no-doc null-input tojson exit-status indent= raw-output compact-output",
	}, args)
	if ops := operandsOf(args); len(ops) > 0 && !ops[0].fixed {
		j.raise(Red, "What its program does is only known when it runs.")
	}
	for _, a := range args {
		if yqFile.MatchString(a.text) { // a lone word may be the name of a file
			j.path(a, false, nil)
		}
	}
	if anyWord(args, yqReads) {
		j.raise(Red, "Its program reads other files or settings.")
	}
}
