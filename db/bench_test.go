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
	store, of := &db.Approvals{DB: d}, n.Order.CustomerID
	var newest string
	apply := applying(b, d, srv.ID, func(ctx context.Context) error {
		it := benchItem(b, of, srv.ID)
		newest = it.ID
		_, err := store.Add(ctx, it)
		return err
	})
	for range 100 {
		apply()
	}
	list := func(bare bool) error {
		_, err := store.List(b.Context(), of, approval.Query{Bare: bare, Page: page.Ask{Limit: 50}})
		return err
	}
	measure(b, "apply", func() error { apply(); return nil })
	measure(b, "get", func() error { _, err := store.Get(b.Context(), of, newest); return err })
	measure(b, "pending", func() error { _, err := store.Pending(b.Context(), of); return err })
	measure(b, "list_bare", func() error { return list(true) })
	measure(b, "list", func() error { return list(false) })
	measure(b, "change", func() error {
		_, err := store.Change(b.Context(), of, newest, func(context.Context, *approval.Item) error { return nil })
		return err
	})
}

// applying gives what has the server's next frame applied.
func applying(b *testing.B, d *db.DB, srv server.ID, fn func(context.Context) error) func() {
	b.Helper()
	links := &db.Links{DB: d}
	epoch, seq, err := links.Open(b.Context(), srv, 0, t0)
	must(b, err)
	return func() {
		seq++
		f := wire.Frame{V: wire.Version, Seq: seq, ID: id(b), Type: wire.TypeApprovalRequest, Time: t0}
		_, err := links.Apply(b.Context(), srv, epoch, f, t0, fn)
		must(b, err)
	}
}

// measure runs fn and reports the processor time of this process, too, which others at work on the machine change less.
func measure(b *testing.B, name string, fn func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		before := cpu(b)
		for b.Loop() {
			must(b, fn())
		}
		b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
	})
}

func cpu(b *testing.B) int64 {
	b.Helper()
	var use syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return use.Utime.Nano() + use.Stime.Nano()
}

func benchItem(b *testing.B, of account.CustomerID, srv server.ID) approval.Item {
	b.Helper()
	args := json.RawMessage(`{"subject":"Opening hours","text":"We open at nine tomorrow.\n\nThe bakery","to":"someone@example.com"}`)
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
