package policy

// deletesFile is the action of the tool that deletes files.
const deletesFile = "files.file.delete"

// Left is what a machine has left for work, in bytes. A figure that is not known is 0, and holds nothing back.
type Left struct {
	State  Disk  // with the records: without room there no receipt can be kept
	Data   Disk  // with the business's files
	Memory int64 // that programs can still get
}

// Disk is a disk as its owner's programs may use it.
type Disk struct{ Free, Total int64 }

// What stays free. Load is none of it: a busy machine is slow, and calls have their time.
const (
	keptFree   = 256_000_000 // of a disk, for receipts and what answers need
	keptMemory = 32_000_000  // without that the kernel ends programs, ours among them
)

// kept is what stays free of a disk: a twentieth of a small one.
func (d Disk) kept() int64 { return min(keptFree, d.Total/20) }

// Shortage is what a machine has too little of.
type Shortage struct {
	What       string // "the disk of the records", "memory"
	Left, Kept int64
	Disk       bool
}

// Short says what of a machine is too short for a call; false: nothing. What only reads goes on, unless it starts programs
// and memory is short. What deletes files makes room, so it goes on until there is hardly any for its receipts.
func (l Left) Short(c Class, programs bool) (Shortage, bool) {
	if c.Tier == Green && !programs {
		return Shortage{}, false
	}
	if l.Memory > 0 && l.Memory < keptMemory {
		return Shortage{What: "memory", Left: l.Memory, Kept: keptMemory}, true
	}
	if c.Tier == Green {
		return Shortage{}, false
	}
	state, data := l.State.kept(), l.Data.kept()
	if c.Action == deletesFile {
		state, data = state/8, 0
	}
	switch {
	case l.State.Free < state:
		return Shortage{What: "the disk of the records", Left: l.State.Free, Kept: state, Disk: true}, true
	case l.Data.Free < data:
		return Shortage{What: "the disk of the files", Left: l.Data.Free, Kept: data, Disk: true}, true
	}
	return Shortage{}, false
}
