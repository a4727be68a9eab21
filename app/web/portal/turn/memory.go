package turn

import (
	"context"
	"net/url"

	"gatehouse/agentd/wire"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// mostMemories is how many notes stand below an answer, whatever a server sends.
const mostMemories = 20

// from says where notes come from, in words.
var from = map[wire.MemoryOrigin]i18n.Key{
	wire.MemoryFromOwner: "memory.from_owner", wire.MemoryFromAgent: "memory.from_agent", wire.MemoryFromOutside: "memory.from_outside",
	wire.MemoryFromFile: "memory.from_file",
}

// memories are the notes that an answer may rest on, each with the way to it.
func memories(ctx context.Context, all []wire.MemoryUse) (out []ui.Remembered) {
	for _, m := range all[:min(len(all), mostMemories)] {
		r := ui.Remembered{Text: m.Text, Href: portal.Memory + "?" + url.Values{"q": {m.Text}}.Encode()}
		if key, ok := from[m.Origin]; ok {
			r.From = i18n.T(ctx, key)
		}
		out = append(out, r)
	}
	return out
}
