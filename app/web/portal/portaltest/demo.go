package portaltest

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// Demo is a server with something of everything on it.
func (h *Hub) Demo(t testing.TB, of Customer) (*Peer, wire.Approval, string) {
	t.Helper()
	p := h.Link(t, of)
	run, session := NewID(), NewID()
	p.Begin(run, session, "Delete the old files")
	r := p.Runs[run]
	call := NewID()
	r.State, r.Verdict, r.Worst, r.StartedAt, r.EndedAt = wire.RunDone, wire.VerdictProven, "red", r.CreatedAt, r.CreatedAt.Add(time.Second)
	r.Steps = []wire.Step{
		{RunID: run, Agent: "dispatcher", N: 1, Text: "I look.", Calls: []string{call}},
		{RunID: run, Agent: "dispatcher", N: 2, Text: "They are *gone*."},
	}
	r.Calls = []wire.CallInfo{
		{
			ID: call, RunID: run, Agent: "dispatcher", Tool: "file_delete", Tier: "red", State: wire.ToolDone,
			Summary: "Deleted 3 files", Args: []byte(`{"path":"tmp"}`), Result: "3 files <b>",
		},
	}
	r.Final = &wire.FinalData{
		RunID: run, Agent: "dispatcher", Text: "They are *gone*.", Verdict: wire.VerdictProven, Receipts: []int64{7},
		Claims: []wire.Claim{{Sentence: "They are gone.", Receipts: []int64{7}, Verdict: wire.VerdictProven}},
	}
	r.Did = []string{"Deleted 3 files"}
	p.Runs[run] = r
	p.Sessions[0].Turns[0].Run, p.Sessions[0].State, p.Sessions[0].Verdict = r, wire.RunDone, wire.VerdictProven
	p.Receipts[run] = wire.ReceiptsResult{Verified: true, Items: []wire.Receipt{
		{
			Seq: 6, Time: time.Now(), Type: "call.approved", RunID: run, CallID: call, Tool: "file_delete", Tier: "red",
			Hash: "h6", PrevHash: "h5", Body: []byte(`{"decided_by":{"name":"owner@example.com","channel":"portal"}}`),
		},
		{
			Seq: 7, Time: time.Now(), Type: "call.finished", RunID: run, CallID: call, Tool: "file_delete",
			Tier: "red", Hash: "h7", PrevHash: "h6", Body: []byte(`{"summary":"Deleted 3 files","ms":12}`),
		},
	}}
	p.Vault = []wire.SecretInfo{{Name: "shop.api_key"}}
	return p, p.Propose(t), run
}
