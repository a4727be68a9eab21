package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// The one call of this program.
const (
	callID = "01900000-0000-7000-8000-0000000000c1"
	runID  = "01900000-0000-7000-8000-0000000000a1"
)

func main() {
	dir := flag.String("dir", "", "where the state and the ledger are")
	tool := flag.String("tool", "act", "act may run once only, write may be repeated")
	tier := flag.String("tier", "red", "what the call claims to be")
	answer := flag.String("answer", "allow_once", "what the person says")
	flag.Parse()
	if err := run(*dir, *tool, *tier, wire.Verb(*answer)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir, tool, tier string, answer wire.Verb) error {
	l := &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}
	w, err := gatetest.Open(dir, time.Now, &gatetest.Fake{Name: "act", Ledger: l}, &gatetest.Fake{Name: "write", Once: true, Ledger: l})
	if err != nil {
		return err
	}
	args, err := json.Marshal(gatetest.Args{Tier: tier, Key: "k"})
	if err != nil {
		return err
	}
	c := gate.Call{ID: callID, RunID: runID, RootRunID: runID, SessionID: runID, Agent: "secretary", Tool: tool, Args: args, Level: 2}
	answered := make(chan error, 1)
	out, err := w.Gate.Do(context.Background(), c, func(waits bool) {
		if waits {
			go func() { answered <- decide(w, answer) }()
		}
	})
	select {
	case e := <-answered:
		err = errors.Join(err, e)
	default:
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// decide answers what waits, as the owner.
func decide(w *gatetest.World, v wire.Verb) error {
	open, err := w.Pending(runID)
	for _, a := range open {
		d := gatetest.Answer(a, v)
		d.Args = json.RawMessage(`{"tier":"red","key":"edited"}`)
		err = errors.Join(err, w.Decide(d))
	}
	return err
}
