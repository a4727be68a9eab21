package hook

import (
	"math"
	"net/http"
	"time"

	"gatehouse/agentd/wire"
)

// outcome is what becomes of a delivery: what the owner reads, and what the sender is told.
type outcome struct {
	wire.HookAnswer

	why      string // for the owner; empty: as the sender is told
	unproven bool   // anybody can have sent it
}

func refused(status int, told, why string) outcome {
	return outcome{HookAnswer: wire.HookAnswer{Verdict: wire.HookRefused, Status: status, Reason: told}, why: why}
}

// stranger is what becomes of a delivery whose sender has no proof.
func stranger(why string) outcome {
	o := refused(http.StatusUnauthorized, notYours, why)
	o.unproven = true
	return o
}

// notYours is told to whoever has no proof: the same whether there is such a hook or not.
const notYours = "There is no such hook, or the proof does not fit. Nothing was taken."

// later is how long a sender is to wait, in seconds, where nothing else says it.
const later = 60

func tooMany(wait time.Duration, why string) outcome {
	return outcome{HookAnswer: wire.HookAnswer{
		Verdict: wire.HookTooMany, Status: http.StatusTooManyRequests, RetryAfter: max(1, int(math.Ceil(wait.Seconds()))),
		Reason: "Too many deliveries. Nothing was taken; send it again later.",
	}, why: why}
}

func unavailable(told string, seconds int) outcome {
	o := refused(http.StatusServiceUnavailable, told+" Nothing was taken.", told)
	o.RetryAfter = seconds
	return o
}

func brokenAgent() outcome {
	return unavailable("Its agent cannot work, because its files cannot be read.", int(time.Hour.Seconds()))
}

func pausedAgent(p *wire.AgentPause) outcome {
	return unavailable(p.Words(), int(time.Hour.Seconds()))
}

func repeated(run string) outcome {
	return outcome{HookAnswer: wire.HookAnswer{
		Verdict: wire.HookRepeated, Status: http.StatusOK, RunID: run, Reason: "This was delivered before. Nothing more was started.",
	}, why: "It came before, so nothing more was started."}
}
