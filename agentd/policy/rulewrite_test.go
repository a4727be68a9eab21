package policy_test

import (
	"testing"

	"gatehouse/agentd/policy"
)

// judged is a call with the class that it has.
func judged(tool string, args m) policy.Subject {
	s := subject(tool, "", args)
	s.Root = listed.Root
	c := policy.Classify(tool, s.Args, listed)
	s.Tier, s.Action, s.To = c.Tier, c.Action, c.To
	return s
}

// TestRuleFor_narrow: a rule made of a call is about that one, and about no other that does as much.
func TestRuleFor_narrow(t *testing.T) {
	t.Parallel()
	put := func(method, url, tool string) m {
		args := m{"method": method, "url": url, "body": "BEGIN:VCARD"}
		if tool != "" {
			args["tool"] = tool
		}
		return args
	}
	const book = "/remote.php/dav/addressbooks/users/u/c/"
	for _, tc := range []struct {
		tool   string
		args   m
		same   []m
		others []m
	}{
		{"http_request", put("PUT", book+"e.vcf", "cloud"), []m{put("PUT", book+"%65.vcf", "cloud")}, []m{
			put("PUT", book+"f.vcf", "cloud"), put("PUT", book+"e.vcf?x=1", "cloud"), put("PUT", "/remote.php/dav/addressbooks/users/v/c/e.vcf", "cloud"), put("PUT", "https://cloud.example.com"+book+"f.vcf", ""),
		}},
		{"http_request", put("PUT", "https://cloud.example.com"+book+"e.vcf?a=%26b#x", ""), []m{put("put", "https://cloud.example.com:443"+book+"e.vcf?a=%26b", "")}, []m{
			put("PUT", "https://cloud.example.com"+book+"e.vcf?a=&b", ""), put("PUT", "https://cloud.example.com"+book+"e.vcf", ""),
		}},
		{"container_restart", m{"container": "web"}, nil, []m{{"container": "db"}, {}}},
		{"generate_credential", m{"service": "ghost", "key": "admin"}, nil, []m{{"service": "ghost", "key": "other"}}},
		{"nginx_reload", m{}, nil, nil},
	} {
		s := judged(tc.tool, tc.args)
		r, ok := policy.RuleFor("from-1", s, nil)
		if !ok {
			t.Errorf("%s %v, %s: no rule", tc.tool, tc.args, s.Tier)
			continue
		}
		text, err := policy.AddRule(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		man := parse(t, string(text))
		for _, args := range append(tc.same, tc.args) {
			if got := man.Judge(judged(tc.tool, args)); got.Effect != policy.Allow {
				t.Errorf("%s %v: %+v by\n%s", tc.tool, args, got, text)
			}
		}
		for _, args := range tc.others {
			if got := man.Judge(judged(tc.tool, args)); got.Effect != "" {
				t.Errorf("the rule of %s %v about %v: %+v", tc.tool, tc.args, args, got)
			}
		}
	}
}

// TestRuleFor_only: what is told by its arguments has no others: one more can make it another call.
func TestRuleFor_only(t *testing.T) {
	t.Parallel()
	of := func(args m) policy.Subject { return subject("tidy", policy.Yellow, args) }
	for _, args := range []m{{"what": "cache"}, {}} {
		r, ok := policy.RuleFor("from-1", of(args), nil)
		if !ok {
			t.Fatalf("no rule of %v", args)
		}
		text, err := policy.AddRule(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		man := parse(t, string(text))
		if got := man.Judge(of(args)); got.Effect != policy.Allow {
			t.Errorf("%v: %+v by\n%s", args, got, text)
		}
		for _, more := range []m{{"what": "cache", "also": "backups"}, {"also": "backups"}, {"what": "cache", "What": "backups"}} {
			if got := man.Judge(of(more)); got.Effect != "" {
				t.Errorf("the rule of %v about %v: %+v", args, more, got)
			}
		}
	}
	for text, wrong := range map[string]bool{"effect: allow": false, "effect: ask": true, "effect: deny": true} {
		if _, err := policy.ParseManifest([]byte("version: 1\nrules:\n  - {id: a, " + text + ", only: true, args: {x: {equals: y}}}\n")); (err != nil) != wrong {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRuleFor_unsaid: no rule comes of a call that none can tell from others.
func TestRuleFor_unsaid(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]m{
		"docker":              {"args": []string{"restart", "web"}},
		"generate_credential": {"service": "ghost", "key": "admin", "constraints": m{"length": 20}},
	} {
		s := judged(tool, args)
		if r, ok := policy.RuleFor("from-1", s, nil); ok || s.Tier != policy.Yellow {
			t.Errorf("%s %v, %s: %+v", tool, args, s.Tier, r)
		}
	}
}
