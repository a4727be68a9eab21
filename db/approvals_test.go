package db_test

import (
	"encoding/json"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/db"
)

func pendingOf(t testing.TB, d *db.DB, c account.CustomerID, s server.ID) approval.Item {
	t.Helper()
	return askedOf(t, d, c, s, func(*approval.Item) {})
}

// askedOf stores an approval that waits, as edit makes it.
func askedOf(t testing.TB, d *db.DB, c account.CustomerID, s server.ID, edit func(*approval.Item)) approval.Item {
	t.Helper()
	a := approval.Item{CustomerID: c, Approval: wire.Approval{
		ID: id(t), ServerID: string(s), Code: "K7M2QX", SessionID: id(t), RootRunID: id(t), RunID: id(t), CallID: id(t), Agent: "it-admin",
		Tool: "file_delete", Action: "files.file.delete", Args: json.RawMessage(`{ "b":1, "a":"\u0000" }`), ArgsHash: "h",
		ShownHash: "s", Tier: "red", Digest: id(t),
		Summary: "Delete 14 files", Facts: []wire.Fact{{Name: "files", Value: 14, Text: "14 files"}}, Windows: []int{15},
		Vouched:   &wire.Vouched{Key: "ab", Sig: "cd"},
		CreatedAt: t0, ExpiresAt: t0.Add(24 * time.Hour), State: wire.ApprovalPending, Execution: wire.ExecNone,
	}}
	edit(&a)
	added, err := (&db.Approvals{DB: d}).Add(t.Context(), a)
	must(t, err)
	if !added {
		t.Fatal("a new approval was there already")
	}
	return a
}

func TestApprovals_keepsEveryByte(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	s := &db.Approvals{DB: d}
	a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
	added, err := s.Add(t.Context(), a)
	must(t, err)
	if added {
		t.Fatal("the same approval was added twice")
	}
	got, err := s.Get(t.Context(), n.Order.CustomerID, a.ID)
	must(t, err)
	if string(got.Args) != string(a.Args) {
		t.Fatalf("arguments came back as %s", got.Args)
	}
	got.Args, a.Args = nil, nil
	want, err := json.Marshal(a)
	must(t, err)
	have, err := json.Marshal(got)
	must(t, err)
	if string(have) != string(want) {
		t.Fatalf("stored and read:\n%s\n%s", want, have)
	}
}

// TestApprovals_List_bare: without contents a list names the same approvals in the same state.
func TestApprovals_List_bare(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	s := &db.Approvals{DB: d}
	a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
	q := approval.Query{Status: "pending", Page: page.Ask{Limit: 10}}
	full, err := s.List(t.Context(), n.Order.CustomerID, q)
	must(t, err)
	q.Bare = true
	bare, err := s.List(t.Context(), n.Order.CustomerID, q)
	must(t, err)
	if len(full.Items) != 1 || len(bare.Items) != 1 {
		t.Fatalf("%d and %d items", len(full.Items), len(bare.Items))
	}
	f, b := full.Items[0], bare.Items[0]
	if string(f.Args) != string(a.Args) || b.Args != nil || b.Summary != "" || b.Facts != nil {
		t.Errorf("contents: full %+v, bare %+v", f, b)
	}
	if b.ID != a.ID || b.Digest != a.Digest || b.State != f.State || !b.ExpiresAt.Equal(f.ExpiresAt) {
		t.Errorf("bare %+v, want %+v", b, f)
	}
}

// TestApprovals_guard tries every change of state by raw SQL: the database allows what the rules allow, and no more.
func TestApprovals_guard(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	states := []wire.ApprovalState{
		wire.ApprovalPending, wire.ApprovalAllowed, wire.ApprovalDenied, wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded,
	}
	const erase = "summary = NULL, args = NULL, facts = NULL, reason = NULL, why_asked = NULL, diff = NULL, context = NULL, " +
		"decided_at = coalesce(decided_at, now()), decided_by = coalesce(decided_by, '{}')"
	move := func(id string, to wire.ApprovalState) error {
		set := "state = $2, " + erase
		if to == wire.ApprovalPending {
			set = "state = $2, decided_at = NULL, decided_by = NULL"
		}
		_, err := d.Pool.Exec(t.Context(), "UPDATE approvals SET "+set+" WHERE id = $1::uuid", id, string(to))
		return err
	}
	for _, from := range states {
		for _, to := range states {
			a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
			rule := a
			rule.Digest = wire.DigestOf(rule.Approval)
			asked := rule.Approval // a question is only open again as what it was
			if from != wire.ApprovalPending {
				must(t, move(a.ID, from))
				must(t, rule.Apply(wire.ApprovalUpdate{State: from}, t0))
			}
			legal := rule.Apply(wire.ApprovalUpdate{State: to, Again: &asked}, t0) == nil
			if err := move(a.ID, to); (err == nil) != legal {
				t.Errorf("%s to %s: the rules say %v, the database %v", from, to, legal, err)
			}
		}
	}
}

func TestApprovals_guardRefuses(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	for name, set := range map[string]string{
		"decided with contents": "state = 'allowed', decided_at = now(), decided_by = '{}'",
		"decided by nobody": "state = 'expired', summary = NULL, args = NULL, facts = NULL, reason = NULL, why_asked = NULL, " +
			"diff = NULL",
		"other arguments":             "args = '{}'",
		"another summary":             "summary = 'Read 1 file'",
		"another digest":              "digest = 'x'",
		"another tier":                "tier = 'green'",
		"more time":                   "expires_at = now() + interval '1 year'",
		"executed while pending":      "execution = 'running'",
		"a state that does not exist": "state = 'approved'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
			if _, err := d.Pool.Exec(t.Context(), "UPDATE approvals SET "+set+" WHERE id = $1::uuid", a.ID); err == nil {
				t.Fatal("the database took it")
			}
		})
	}
}
