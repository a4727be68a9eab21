package proxy

import (
	"sync/atomic"
	"testing"
)

func TestUnderWay(t *testing.T) {
	t.Parallel()
	var u underWay
	var kept atomic.Int32
	let := make(chan struct{})
	for range 50 {
		if !u.begin() {
			t.Fatal("nothing may begin")
		}
		go func() {
			defer u.end()
			<-let
			u.beside(func() { kept.Add(1) })
		}()
	}
	waited := make(chan struct{})
	go func() { defer close(waited); u.wait() }()
	select {
	case <-waited:
		t.Error("did not wait")
	default:
	}
	close(let)
	<-waited
	if n := kept.Load(); n != 50 {
		t.Errorf("%d of 50 were put on record before wait returned", n)
	}
	if u.begin() {
		t.Error("something began after the end")
	}
	u.beside(func() { t.Error("something was done after the end") })
}
