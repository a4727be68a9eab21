package sandbox

import (
	"encoding/json"
	"time"
)

// Command is the hidden subcommand under which this binary confines itself.
const Command = "sandbox-exec"

// Limits of every confined process.
const (
	maxMemory    = 4 << 30 // bytes of address space; a Go process alone reserves more than one GiB
	maxFile      = 1 << 30 // bytes of one file
	maxFiles     = 256     // open files
	maxProcs     = 256     // processes and threads
	maxUserProcs = 2048    // the same where there are no namespaces
	maxSpec      = 1 << 20 // bytes of a job
	cpuReserve   = 10 * time.Second
)

// spec is what the confined process is told.
type spec struct {
	Program    string          `json:"program"`
	Args       json.RawMessage `json:"args"`
	Root       string          `json:"root"`       // readable and writable
	Scratch    string          `json:"scratch"`    // readable and writable, removed afterwards
	Namespaces bool            `json:"namespaces"` // it runs in namespaces of its own
	Machine    bool            `json:"machine"`    // it sees the processes and network tables of the machine
	Services   bool            `json:"services"`   // it may open unix sockets
	CPU        time.Duration   `json:"cpu"`
}

// Program is something that runs inside. Run gets the arguments of the job; standard input is empty, and what it
// writes to standard output and error is the job's output. It answers the exit status.
type Program struct {
	Name string
	Run  func(args json.RawMessage, scratch string) int
}

// The exit status that is not the program's own.
const exitSetup = 125 // the process could not confine itself; the reason went to agentd
