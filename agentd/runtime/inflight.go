package runtime

import "sync"

// inFlight holds the calls that are with the gate, so that what a tool starts can be traced to the run that called it.
type inFlight struct {
	mu   sync.Mutex
	byID map[string]*call
}

func newInFlight() *inFlight { return &inFlight{byID: map[string]*call{}} }

func (f *inFlight) add(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byID[c.ID] = c
}

func (f *inFlight) remove(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byID, c.ID)
}

func (f *inFlight) find(id string) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byID[id]
}
