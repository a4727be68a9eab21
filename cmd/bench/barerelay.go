package main

import (
	"context"

	"gatehouse/cmd/bench/bare"
)

func bareRelayControl(p float64) *Control {
	return &Control{
		How:  "two bare hops: echo, NATS in the process, a websocket to a process that answers; no database, no signatures, no sign-in",
		Goal: 4, Take: func(ctx context.Context, s *Stage) (Run, error) { return takeBareRelay(ctx, s, p) },
	}
}

func takeBareRelay(ctx context.Context, s *Stage, p float64) (Run, error) {
	hub, err := startBare(ctx, bare.Hub)
	if err != nil {
		return Run{}, err
	}
	defer hub.Close()
	agent, err := startBare(ctx, bare.Agent, bare.Addr+"="+hub.addr)
	if err != nil {
		return Run{}, err
	}
	defer agent.Close()
	c, err := dial(ctx, hub.addr, "Content-Type: application/json\r\n")
	if err != nil {
		return Run{}, err
	}
	defer c.Close()
	return s.roundTrips(c, p)
}
