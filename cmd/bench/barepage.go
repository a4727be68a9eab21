package main

import (
	"context"
	"fmt"
	"strconv"

	"gatehouse/cmd/bench/bare"
)

func barePageControl() *Control {
	return &Control{
		How:  "bare echo, one bun query for the same 40 rows and as much HTML by templ, without sign-in, menu, log and limits",
		Goal: 0.5, Take: takeBareRPS,
	}
}

func takeBareRPS(ctx context.Context, s *Stage) (Run, error) {
	if _, err := s.fill(ctx); err != nil {
		return Run{}, err
	}
	shown, size, err := s.openBrowsers(ctx)
	closeAll(shown)
	if err != nil {
		return Run{}, err
	}
	b, err := startBare(ctx, bare.Page,
		bare.DSN+"="+s.dsn, bare.Customer+"="+string(s.owner.CustomerID), bare.Size+"="+strconv.Itoa(size), "GOGC=200") // as the hub has
	if err != nil {
		return Run{}, err
	}
	defer b.Close()
	all, size, err := openPages(ctx, b.addr, "")
	defer closeAll(all)
	if err != nil {
		return Run{}, err
	}
	n, span, err := s.load32(all, size)
	return Run{Value: float64(n) / span.Seconds(), N: n, Note: fmt.Sprintf("%d KB a page", size/1000)}, err
}
