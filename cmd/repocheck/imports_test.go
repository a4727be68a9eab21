package repocheck

import (
	"slices"
	"strings"
	"testing"
)

// rule says that packages under from may not reach, even through others, what is under one of the folders in never.
type rule struct {
	why   string
	from  string
	never []string
	save  []string // exceptions
}

var rules = []rule{
	{"a customer's server links no hub code", "cmd/agentd", []string{"app", "db", "jobs", "views", "migrations", "static"}, nil},
	{"a customer's server links no hub code", "agentd", []string{"app", "db", "jobs", "views", "migrations", "static"}, nil},
	{"the hub knows agentd by its contract and its rules (which read arguments by agentd/tool and compile expressions by agentd/lazyre)", "cmd/hub", []string{"agentd"}, []string{"agentd/wire", "agentd/policy", "agentd/redact", "agentd/tool", "agentd/lazyre"}},
	{"pages take plain props", "views", []string{"app", "db", "jobs", "agentd"}, nil},
	{"what is for tests is in no program", "cmd/agentd", []string{"agentd/leakscan", "agentd/linear"}, nil},
	{"who judges what got out shares no code with who takes it out", "agentd/leakscan", []string{"agentd", "app", "db", "jobs"}, []string{"agentd/leakscan"}},
	{"the rules of the hub know no SQL, queue or pages", "app/approval", []string{"db", "jobs", "views", "app/web"}, nil},
}

func TestImports_pointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, r := range rules {
			if !under(short(p.ImportPath), r.from) {
				continue
			}
			for _, dep := range p.Deps {
				if d := short(dep); strings.HasPrefix(dep, module+"/") && r.forbids(d) {
					t.Errorf("%s reaches %s: %s", short(p.ImportPath), d, r.why)
				}
			}
		}
	}
}

func (r rule) forbids(dep string) bool {
	in := func(dirs []string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return under(dep, d) })
	}
	return in(r.never) && !in(r.save)
}

func TestImports_agentdLinksNoPayments(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if short(p.ImportPath) != "cmd/agentd" {
			continue
		}
		for _, dep := range p.Deps {
			for _, bad := range []string{"github.com/stripe/", "github.com/riverqueue/", "github.com/uptrace/bun", "github.com/labstack/echo"} {
				if strings.HasPrefix(dep, bad) {
					t.Errorf("agentd links %s", dep)
				}
			}
		}
		return
	}
	t.Fatal("cmd/agentd is missing")
}
