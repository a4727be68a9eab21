package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/cmd/bench/bare"
)

// browsers is how many connections load the page at once.
const browsers = 32

// pagePath is the page that is loaded.
const pagePath = bare.PagePath

// row is what stands once in each row of the approvals page.
var row = []byte(`data-testid="approval"`)

func portalRPS() Figure {
	return Figure{
		Name: "portal_page_rps_c32", Unit: "1/s", Goal: 2500, More: true, Take: takeRPS, Control: barePageControl(),
		How: "the approvals page with 40 rows, signed in by cookie, 32 connections of one browser",
	}
}

func takeRPS(ctx context.Context, s *Stage) (Run, error) {
	if _, err := s.fill(ctx); err != nil {
		return Run{}, err
	}
	all, size, err := s.openBrowsers(ctx)
	defer closeAll(all)
	if err != nil {
		return Run{}, err
	}
	before, err := cpu(s.hub.PID())
	if err != nil {
		return Run{}, err
	}
	n, span, err := s.load32(all, size)
	if err != nil {
		return Run{}, err
	}
	after, err := cpu(s.hub.PID())
	note := fmt.Sprintf("%d KB a page, %.2f ms of the hub's processor time each", size/1000, ms(after-before)/float64(n))
	return Run{Value: float64(n) / span.Seconds(), N: n, Note: note}, err
}

// openBrowsers opens the connections of somebody who is signed in.
func (s *Stage) openBrowsers(ctx context.Context) (all []*conn, size int, err error) {
	cookie, err := s.cookie(ctx, s.owner.CustomerID, s.owner.ID)
	if err != nil {
		return nil, 0, err
	}
	return openPages(ctx, s.hub.Addr, cookie)
}

// openPages opens the connections and checks that they see the page that is meant.
func openPages(ctx context.Context, addr, header string) (all []*conn, size int, err error) {
	first, err := dial(ctx, addr, header)
	if err != nil {
		return nil, 0, err
	}
	all = append(all, first)
	page, err := first.do(http.MethodGet, pagePath, nil, http.StatusOK)
	if err != nil {
		return all, 0, err
	}
	if n := bytes.Count(page, row); n != waiting {
		return all, 0, fmt.Errorf("the approvals page has %d rows instead of %d", n, waiting)
	}
	for range browsers - 1 {
		c, err := dial(ctx, addr, header)
		if err != nil {
			return all, 0, err
		}
		all = append(all, c)
	}
	return all, len(page), nil
}

func closeAll(all []*conn) {
	for _, c := range all {
		c.Close()
	}
}

// load32 loads the page on all connections for a while, after a second to warm up, and counts the pages that came whole.
func (s *Stage) load32(all []*conn, size int) (int, time.Duration, error) {
	if _, err := loadFor(all, time.Second, size); err != nil {
		return 0, 0, err
	}
	span := time.Duration(s.count(5, 1)) * time.Second
	n, err := loadFor(all, span, size)
	return n, span, err
}

func loadFor(all []*conn, span time.Duration, size int) (int, error) {
	until := time.Now().Add(span)
	var pages atomic.Int64
	var g errgroup.Group
	for _, c := range all {
		g.Go(func() error {
			for time.Now().Before(until) {
				if err := c.request(http.MethodGet, pagePath, nil); err != nil {
					return err
				}
				n, err := skim(c.r)
				if err != nil {
					return err
				}
				if n < size*9/10 {
					return fmt.Errorf("a page of %d bytes instead of %d", n, size)
				}
				pages.Add(1)
			}
			return nil
		})
	}
	err := g.Wait()
	return int(pages.Load()), err
}

// skim reads an answer without looking at it, beyond its status and length.
func skim(r *bufio.Reader) (int, error) {
	length := -1
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		switch {
		case err != nil:
			return 0, err
		case first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")):
			return 0, fmt.Errorf("answer: %s", line)
		case len(line) <= 2:
			if length < 0 {
				return 0, errors.New("an answer without a length")
			}
			return r.Discard(length)
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return 0, err
			}
		}
	}
}
