package proxy

import "sync"

// underWay counts requests and what is put on record after them, so that Serve returns when nothing more uses the
// database. A sync.WaitGroup must not be added to while it is waited for, and a connection that was cut may still do that.
type underWay struct {
	mu   sync.Mutex
	n    int
	over bool
	none chan struct{} // closed once nothing is under way and nothing more may begin
}

// begin says whether something may still begin; end must follow if so.
func (u *underWay) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over && u.n == 0 {
		return false
	}
	u.n++
	return true
}

func (u *underWay) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n--; u.over && u.n == 0 {
		close(u.none)
	}
}

// beside runs fn beside the request that is under way and calls it. After the end it does nothing.
func (u *underWay) beside(fn func()) {
	if !u.begin() {
		return
	}
	go func() {
		defer u.end()
		fn()
	}()
}

// wait returns when nothing is under way; from then on nothing begins.
func (u *underWay) wait() {
	u.mu.Lock()
	u.over, u.none = true, make(chan struct{})
	if u.n == 0 {
		close(u.none)
	}
	u.mu.Unlock()
	<-u.none
}
