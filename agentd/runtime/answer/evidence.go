package answer

import (
	"encoding/json"
	"path"
	"strings"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Evidence is one thing that the receipts show.
type Evidence struct {
	Seq      int64
	Tool     string
	Tier     policy.Tier
	Kind     string // of the effect; empty for a call without one
	Target   string
	Finished bool // false: it was refused, failed, was stopped, or nobody knows
}

// FromReceipts reads the evidence out of the log of some runs.
func FromReceipts(all []wire.Receipt) []Evidence {
	var out []Evidence
	asked := map[string]string{} // what a call was to act on, by call
	for _, rc := range all {
		switch rc.Type {
		case "call.requested", "call.started": // a started one has arguments when a person edited them
			if t := requestedTarget(rc.Body); t != "" {
				asked[rc.CallID] = t
			}
		case "call.finished":
			out = append(out, finished(rc, asked[rc.CallID])...)
		case "call.failed", "call.denied", "call.unknown", "call.withdrawn", "call.expired":
			out = append(out, Evidence{Seq: rc.Seq, Tool: rc.Tool, Tier: policy.Tier(rc.Tier), Target: asked[rc.CallID]})
		}
	}
	return out
}

func requestedTarget(body json.RawMessage) string {
	var in struct {
		Args struct {
			Path   string `json:"path"`
			To     string `json:"to"`
			Target string `json:"target"`
		} `json:"args"`
	}
	if json.Unmarshal(body, &in) != nil {
		return "" // the arguments were no object: the call names nothing
	}
	return strings.ToLower(in.Args.Path + in.Args.To + in.Args.Target)
}

func finished(rc wire.Receipt, target string) []Evidence {
	base := Evidence{Seq: rc.Seq, Tool: rc.Tool, Tier: policy.Tier(rc.Tier), Target: target, Finished: true}
	var body struct {
		Effects []tool.Effect `json:"effects"`
	}
	if json.Unmarshal(rc.Body, &body) != nil || len(body.Effects) == 0 {
		return []Evidence{base}
	}
	var out []Evidence
	for _, e := range body.Effects {
		one := base
		one.Kind, one.Target = e.Kind, strings.ToLower(e.Target)
		if strings.Contains(target, "*") && strings.HasPrefix(target, one.Target+"/") {
			one.Target = target // not all of the folder: what the glob means
		}
		out = append(out, one)
	}
	return out
}

// names says whether what was acted on is what a sentence names: the same, a file of that name, one in a named folder
// or of a named glob, or the other way round, one in the folder that was acted on as a whole.
func names(said, did string) bool {
	said, did = strings.Trim(said, "/"), strings.Trim(did, "/")
	inFolder := strings.HasPrefix(did, said+"/") || strings.HasPrefix(said, did+"/")
	if said == did || path.Base(did) == said || strings.HasSuffix(did, "/"+said) || inFolder {
		return true
	}
	for _, glob := range []string{said, did} {
		other := said + did
		other = strings.Replace(other, glob, "", 1)
		if ok, err := path.Match(glob, other); err == nil && ok {
			return true
		}
		if ok, err := path.Match(path.Base(glob), path.Base(other)); err == nil && ok && strings.Contains(glob, "*") {
			return true
		}
	}
	return false
}
