package sentence

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"
)

// Request is what a person was asked about.
type Request struct {
	Agent, Tool, Tier string
	Args              json.RawMessage
	Denied            bool // they said no
}

// For is the rule that always decides such requests: of the same agent and tool, and what goes to the same domain, the same
// host or the same folder. Of other calls, and of what deletes, only agent and tool are alike.
func For(q Request) Row {
	row := Row{Effect: "ask", Agent: q.Agent, Tool: q.Tool, Tests: alikeTests(q.Tool, q.Args)}
	switch {
	case q.Denied:
		row.Effect = "deny"
	case q.Tier == "green" || q.Tier == "yellow" || q.Tier == "yellow_external":
		row.Effect, row.Tiers = "allow", []string{q.Tier}
	}
	return row
}

// alikeTests tell requests of a kind from others of the tool.
func alikeTests(tool string, raw json.RawMessage) []Test {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	text := func(name string) string { s, _ := args[name].(string); return s }
	switch to, at, address := text("to"), text("path"), text("url"); {
	case tool == "message" && strings.Count(to, "@") == 1:
		_, domain, _ := strings.Cut(to, "@")
		return fitting(Test{"to", Suffix, "@" + domain})
	case tool == "http_request":
		return request(text("method"), text("tool"), address)
	case at != "":
		return fitting(folder(at))
	case tool == "shell":
		return fitting(Test{"command", Equals, text("command")})
	case tool == "sql_query":
		return fitting(Test{"query", Equals, text("query")})
	}
	return nil
}

// folder tests for the folder that something lies in. What lies in none is named itself.
func folder(at string) Test {
	at = path.Clean(at)
	dir := path.Dir(at)
	if path.IsAbs(at) || strings.HasPrefix(at, "..") || dir == "." {
		return Test{"path", Equals, at}
	}
	return Test{"path", Under, dir}
}

// request tests for the method and the host that a request goes to, or the path of a tool.
func request(method, tool, address string) (tests []Test) {
	tests = append(tests, fitting(Test{"method", Equals, method}, Test{"tool", Equals, tool})...)
	u, err := url.Parse(address)
	if err != nil {
		return tests
	}
	if u.Host != "" {
		return append(tests, fitting(Test{"url", Prefix, u.Scheme + "://" + u.Host + "/"})...)
	}
	return append(tests, fitting(Test{"url", Equals, address})...)
}

// fitting leaves out what says nothing, or what no form can hold.
func fitting(all ...Test) (out []Test) {
	for _, t := range all {
		if strings.Trim(t.Value, "@") != "" && oneLine(t.Value) {
			out = append(out, t)
		}
	}
	return out
}
