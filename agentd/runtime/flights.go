package runtime

import "sync"

// flights are the calls that are with the gate, so that what a tool starts can be traced to the run that called it.
type flights struct {
	mu   sync.Mutex
	byID map[string]*call
}

func newFlights() *flights { return &flights{byID: map[string]*call{}} }

func (f *flights) add(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byID[c.ID] = c
}

func (f *flights) remove(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byID, c.ID)
}

func (f *flights) find(id string) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byID[id]
}
