package turn

import (
	"bytes"
	"encoding/json"
	"strconv"

	"gatehouse/agentd/wire"
	view "gatehouse/views/portal"
)

// Receipts gives records of the log as pages show them.
func Receipts(rs []wire.Receipt) []view.ReceiptProps {
	out := make([]view.ReceiptProps, 0, len(rs))
	for _, r := range rs {
		out = append(out, receipt(r))
	}
	return out
}

func receipt(r wire.Receipt) view.ReceiptProps {
	p := view.ReceiptProps{
		ID: "r-" + strconv.FormatInt(r.Seq, 10), Seq: r.Seq, Type: r.Type, Tool: r.Tool, Tier: r.Tier, At: r.Time,
		Says: says(r.Body), Hash: r.Hash, Prev: r.PrevHash, Body: indented(r.Body),
	}
	if r.CallID != "" {
		p.Call = view.CallID(r.CallID)
	}
	return p
}

// says takes the one line for people out of a receipt's body, whichever of these names it goes by.
func says(body json.RawMessage) string {
	var b map[string]json.RawMessage
	if json.Unmarshal(body, &b) != nil {
		return ""
	}
	for _, name := range []string{"says", "summary", "reason", "why", "error"} {
		var s string
		if json.Unmarshal(b[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func indented(body json.RawMessage) string {
	var b bytes.Buffer
	if len(body) == 0 || json.Indent(&b, body, "", "  ") != nil {
		return ""
	}
	return b.String()
}
