package db_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/db"
)

// BenchmarkApprovals measures the way of a question: its frame is applied, the page lists it, a person decides it.
func BenchmarkApprovals(b *testing.B) {
	d := fresh(b)
	n, srv := withServer(b, d)
	links, store := &db.Links{DB: d}, &db.Approvals{DB: d}
	epoch, seq, err := links.Open(b.Context(), srv.ID, 0, t0)
	must(b, err)
	var ids []string
	apply := func() {
		seq++
		it := benchItem(b, n.Order.CustomerID, srv.ID)
		ids = append(ids, it.ID)
		f := wire.Frame{V: wire.Version, Seq: seq, ID: id(b), Type: wire.TypeApprovalRequest, Time: t0}
		_, err := links.Apply(b.Context(), srv.ID, epoch, f, t0, func(ctx context.Context) error {
			_, err := store.Add(ctx, it)
			return err
		})
		must(b, err)
	}
	for range 100 {
		apply()
	}
	of := n.Order.CustomerID
	b.Run("apply", func(b *testing.B) { each(b, apply) })
	b.Run("get", func(b *testing.B) {
		each(b, func() {
			_, err := store.Get(b.Context(), of, ids[0])
			must(b, err)
		})
	})
	b.Run("pending", func(b *testing.B) {
		each(b, func() {
			_, err := store.Pending(b.Context(), of)
			must(b, err)
		})
	})
	for _, bare := range []bool{true, false} {
		b.Run(map[bool]string{true: "list_bare", false: "list"}[bare], func(b *testing.B) {
			each(b, func() {
				_, err := store.List(b.Context(), of, approval.Query{Bare: bare, Page: page.Ask{Limit: 50}})
				must(b, err)
			})
		})
	}
	b.Run("change", func(b *testing.B) {
		each(b, func() {
			_, err := store.Change(b.Context(), of, ids[0], func(context.Context, *approval.Item) error { return nil })
			must(b, err)
		})
	})
}

// each runs fn and reports the processor time of this process, too, which others at work on the machine change less.
func each(b *testing.B, fn func()) {
	b.Helper()
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		fn()
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
}

func cpu(b *testing.B) int64 {
	b.Helper()
	var use syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return use.Utime.Nano() + use.Stime.Nano()
}

func benchItem(b *testing.B, of account.CustomerID, srv server.ID) approval.Item {
	b.Helper()
	args := json.RawMessage(`{"subject":"Opening hours","text":"Good morning,\n\nwe open at nine tomorrow.\n\nThe bakery","to":"someone@example.com"}`)
	sum := sha256.Sum256(args)
	run, v := id(b), id(b)
	a := wire.Approval{
		ID: v, Code: v[30:], ServerID: string(srv), SessionID: run, RootRunID: run, RunID: run, CallID: run,
		Agent: "secretary", Tool: "message", Action: "mail.message.send", Args: args, ArgsHash: hex.EncodeToString(sum[:]),
		Tier: "yellow_external", PolicyVersion: 1, StagedHash: "-", Summary: "E-mail someone@example.com: Opening hours",
		Facts:  []wire.Fact{{Name: "recipients", Value: 1, Text: "1 recipient"}},
		Reason: "The owner asked to tell the customer.", WhyAsked: "It leaves the business.", Windows: []int{15, 60},
		CreatedAt: t0, ExpiresAt: t0.Add(24 * time.Hour), Digest: "x",
	}
	return approval.Item{Approval: a, CustomerID: of}
}
