package seeded

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Turn leaves a story on whole programs to another run. `make test` takes one part of them at a time: GATEHOUSE_TURN says which,
// such as "2/3", and follows the commit, so that a few commits take all of them. Without it, as under `make soak` or
// `go test ./a/package`, every story runs.
//
// The stories of a package take turns in the order of their source, so Turn comes before t.Parallel. Parts of a story go with
// it.
func Turn(t testing.TB) {
	t.Helper()
	which := os.Getenv("GATEHOUSE_TURN")
	if which == "" || strings.Contains(t.Name(), "/") {
		return
	}
	mine, err := turn(which, first()+told.Add(1))
	if err != nil {
		t.Fatal(err)
	}
	if !mine {
		t.Skipf("this story has another turn than %s; without GATEHOUSE_TURN every story runs", which)
	}
}

// Part is this turn's part of the cases of a table: with GATEHOUSE_TURN=2/3 the second of each three, and all without it.
func Part[T any](t testing.TB, all []T) (mine []T) {
	t.Helper()
	which := os.Getenv("GATEHOUSE_TURN")
	if which == "" {
		return all
	}
	for i, one := range all {
		ok, err := turn(which, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			mine = append(mine, one)
		}
	}
	return mine
}

// One is this turn's case of a table, one turn after the other: with GATEHOUSE_TURN=2/3 the second, and all without it.
func One[T any](t testing.TB, all []T) []T {
	t.Helper()
	which := os.Getenv("GATEHOUSE_TURN")
	if which == "" {
		return all
	}
	part, _, err := parts(which)
	if err != nil {
		t.Fatal(err)
	}
	at := int((part - 1) % uint64(len(all)))
	return all[at : at+1]
}

// told is how many stories of this package asked.
var told atomic.Uint32

// first is where the turns of this package begin, so that those of small ones do not all fall together.
func first() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(filepath.Base(os.Args[0]))) // never fails
	return h.Sum32() % 64
}

// turn says whether the story of this number belongs to the part that which names.
func turn(which string, number uint32) (bool, error) {
	part, of, err := parts(which)
	return err == nil && uint64(number)%of == part-1, err
}

// parts reads which.
func parts(which string) (part, of uint64, err error) {
	left, right, _ := strings.Cut(which, "/")
	part, err1 := strconv.ParseUint(left, 10, 32)
	of, err2 := strconv.ParseUint(right, 10, 32)
	if err1 != nil || err2 != nil || part < 1 || part > of {
		return 0, 0, fmt.Errorf("GATEHOUSE_TURN=%s: want a part such as 2/3", which)
	}
	return part, of, nil
}
