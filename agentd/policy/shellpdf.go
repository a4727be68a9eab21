package policy

import "strings"

// pdftotext prints the text of its first operand when the second is -. Any other second name is written to, and
// without one the name is made up.
func (j *judge) pdftotext(args []arg) {
	var ops []arg
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case (a.text == "-f" || a.text == "-l") && a.fixed && i+1 < len(args) && args[i+1].fixed && digits.MatchString(args[i+1].text):
			i++
		case a.fixed && (a.text == "-layout" || a.text == "-raw" || a.text == "-nopgbrk"):
		case a.text != "-" && strings.HasPrefix(a.text, "-"):
			j.raise(Red, "The gate does not understand the flag "+visible(a.text)+" here.")
		default:
			ops = append(ops, a)
		}
	}
	if len(ops) != 2 || ops[0].glob || !ops[0].fixed && !ops[0].one || ops[1].text != "-" || !ops[1].fixed {
		j.raise(Red, "It writes a file.")
	}
	for _, a := range ops {
		j.path(a, false, nil)
	}
}
