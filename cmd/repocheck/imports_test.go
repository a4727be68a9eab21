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
	{"the hub knows agentd by its contract, its rules and what they need", "cmd/hub", []string{"agentd"}, []string{
		"agentd/wire", "agentd/policy", "agentd/redact", "agentd/tool", "agentd/lazyre", "agentd/phrase",
	}},
	{"pages take plain props", "views", []string{"app", "db", "jobs", "agentd"}, []string{"agentd/phrase"}},
	{"what is for tests is in no program", "cmd/agentd", []string{"agentd/leakscan", "agentd/linear", "agentd/seeded"}, nil},
	{"what is for tests is in no program", "cmd/hub", append([]string{
		"app/push/pushtest", "app/provider/dnshost/dnstest", "agentd/channel/email/mailtest",
		"agentd/channel/telegram/telegramtest", "agentd/channel/discord/discordtest",
		"agentd/channel/signal/signaltest", "agentd/channel/slack/slacktest",
		"agentd/channel/channeltest", "app/provider/vpshost/hetzner/hetznertest",
		"app/provider/vpshost/netcup/netcuptest",
		"app/provider/stripepay/stripetest",
	}, rigs...), nil},
	{"who judges what got out shares no code with who takes it out", "agentd/leakscan", []string{"agentd", "app", "db", "jobs"}, []string{"agentd/leakscan"}},
	{"the rules of the hub know no SQL, queue or pages", "app/approval", []string{"db", "jobs", "views", "app/web"}, nil},
	{"pages ask the rules, not the tables or the queue", "app/web", []string{"db", "jobs", "migrations"}, nil},
	{"tables know no pages and no queue's work", "db", []string{"app/web", "views", "jobs"}, nil},
	{"the queue's work asks the rules, and shows nothing", "jobs", []string{"db", "migrations", "views", "app/web"}, nil},
}

// portalRig serves the portal for tests, over the tables; hubRig runs the programs for tests.
const portalRig, hubRig = "app/web/portal/portaltest", "cmd/hub/e2e"

// rigs are the packages for tests that reach across the layers. No program links them.
var rigs = []string{portalRig, hubRig}

// isRig reports whether a package is for tests, of whatever layer.
func isRig(path string) bool { return slices.Contains(rigs, short(path)) }

// portal is the folder of the customers' pages. Below it, shared are the packages that any section may import; the others are
// sections, and none of them imports another. The portal itself puts them together.
const portal = "app/web/portal"

var shared = []string{"frame", "health", "live", "roster", "signing", "turn"}

// homes says which packages alone may import a library: what it speaks to can be exchanged there, and nowhere else.
var homes = map[string][]string{
	"github.com/SherClockHolmes/":     {"app/provider"},
	"github.com/stripe/":              {"app/provider"},
	"github.com/hetznercloud/":        {"app/provider"},
	"golang.org/x/oauth2":             {"app/provider"},
	"github.com/joeig/":               {"app/provider"},
	"github.com/libdns/":              {"app/provider"},
	"github.com/miekg/dns":            {"app/provider", "agentd/certificate/acmetest"},
	"github.com/wneessen/go-mail":     {"app/provider", "agentd/tools/message", "agentd/channel/email"},
	"github.com/go-telegram/bot":      {"agentd/channel/telegram"},
	"github.com/emersion/":            {"cmd/hub/devmail", "agentd/channel/email"},
	"github.com/openai/":              {"agentd/llm"},
	"github.com/anthropics/":          {"agentd/llm"},
	"github.com/nats-io/":             {"app/relay", "cmd/bench/bare"},
	"github.com/riverqueue/":          {"db", "jobs"},
	"github.com/uptrace/bun":          {"db", "cmd/bench"},
	"github.com/jackc/pgx":            {"db", "jobs", "cmd/hub/dev", hubRig, "cmd/bench"},
	"github.com/labstack/echo":        {"app/web", "cmd/hub", "cmd/bench/bare"},
	"github.com/alexedwards/argon2id": {"app", "db"},
}

func TestImports_pointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, r := range rules {
			if !under(short(p.ImportPath), r.from) || isRig(p.ImportPath) {
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

// TestImports_sectionsKnowNoOther holds for the shared packages and for tests as well.
func TestImports_sectionsKnowNoOther(t *testing.T) {
	t.Parallel()
	sections := map[string]bool{}
	for _, p := range list(t) {
		from := belowPortal(p.ImportPath)
		if from == "" {
			continue
		}
		sections[from] = !slices.Contains(shared, from)
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if to := belowPortal(imported); to != "" && to != from && !slices.Contains(shared, to) {
				t.Errorf("%s imports the section %s of the portal: what both need belongs in a shared package", short(p.ImportPath), to)
			}
		}
	}
	for _, name := range shared {
		if _, there := sections[name]; !there {
			t.Errorf("the portal has no package %s", name)
		}
	}
	if len(sections) == len(shared) {
		t.Error("the portal has no sections")
	}
}

// belowPortal names the folder of the portal that a package is in; "" for the portal itself, for its rig and outside.
func belowPortal(path string) string {
	rest, ok := strings.CutPrefix(short(path), portal+"/")
	if !ok || isRig(path) {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// TestImports_librariesAtHome: what is foreign has one door. Only what is linked counts: tests may look from anywhere.
func TestImports_librariesAtHome(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			for library, in := range homes {
				home := func(d string) bool { return under(short(p.ImportPath), d) }
				if strings.HasPrefix(imported, library) && !slices.ContainsFunc(in, home) {
					t.Errorf("%s imports %s, which belongs in %v", short(p.ImportPath), imported, in)
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
