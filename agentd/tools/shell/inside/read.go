package inside

import (
	"errors"
	"io"
	"os"
	"strings"

	"mvdan.cc/sh/v3/expand"

	"gatehouse/agentd/policy"
)

// maxLine is how much read takes as one line, and maxLines what mapfile takes in all.
const (
	maxLine  = 1 << 20
	maxLines = 16 << 20
)

// separated is the variables with a separator for one command alone: IFS=, read.
type separated struct {
	*variables
	ifs string
}

// Get gives the separator, and all else as it is.
func (v separated) Get(name string) expand.Variable {
	if name == "IFS" {
		return text(v.ifs)
	}
	return v.variables.Get(name)
}

// read fills variables from one line, or from all up to a NUL. Nothing behind that is taken, for the next command
// reads on there.
func (r *runner) read(argv, env []string, s streams) {
	how, ok := policy.ReadWords(argv[1:])
	if !ok {
		r.fail(s, statusUsage, "read: this form is not known")
		return
	}
	mark := byte('\n')
	if how.All {
		mark = 0
	}
	line, ended, err := oneLine(s.in, mark)
	if err != nil {
		r.fail(s, statusFailed, "read: %v", err)
		return
	}
	cfg := r.config(s)
	for _, e := range env {
		if ifs, ok := strings.CutPrefix(e, "IFS="); ok {
			cfg.Env = separated{r.vars, ifs}
		}
	}
	fields := expand.ReadFields(cfg, line, len(how.Names), how.Raw)
	for i, name := range how.Names {
		value := ""
		if i < len(fields) {
			value = fields[i]
		}
		r.vars.values[name] = text(value)
	}
	r.status = btoi(ended)
}

// oneLine reads up to a mark, byte by byte. ended says that none came.
func oneLine(f *os.File, mark byte) (line string, ended bool, err error) {
	var out []byte
	one := make([]byte, 1)
	for len(out) < maxLine {
		switch n, err := f.Read(one); {
		case n == 1 && one[0] == mark:
			return string(out), false, nil
		case n == 1:
			out = append(out, one[0])
		case errors.Is(err, io.EOF):
			return string(out), true, nil
		case err != nil:
			return "", true, err
		}
	}
	return "", true, errors.New("the line is too long")
}

// mapfile fills an array with lines.
func (r *runner) mapfile(argv []string, s streams) {
	b, err := io.ReadAll(io.LimitReader(s.in, maxLines+1))
	if err == nil && len(b) > maxLines {
		err = errors.New("too much input")
	}
	if err != nil {
		r.fail(s, statusFailed, "mapfile: %v", err)
		return
	}
	var list []string
	for line := range strings.Lines(string(b)) {
		if argv[1] == "-t" {
			line = strings.TrimSuffix(line, "\n")
		}
		list = append(list, line)
	}
	r.vars.values[argv[len(argv)-1]] = expand.Variable{Set: true, Kind: expand.Indexed, List: list}
	r.status = 0
}

// options are what set switches.
type options struct{ exit, unset, pipe bool }

// set switches options on with - and off with +.
func (r *runner) set(argv []string) {
	on := true
	for _, a := range argv[1:] {
		switch a {
		case "errexit":
			r.options.exit = on
		case "nounset":
			r.options.unset = on
		case "pipefail":
			r.options.pipe = on
		default:
			on = strings.HasPrefix(a, "-")
			if strings.Contains(a, "e") {
				r.options.exit = on
			}
			if strings.Contains(a, "u") {
				r.options.unset = on
			}
		}
	}
	r.status = 0
}
