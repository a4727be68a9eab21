package team

import "slices"

// strangerTools are all the tools that a stranger may have used who writes to a channel that is open to everybody. A tool that is not
// named here is out of reach of such a run, whatever its agent may otherwise do: what the agent can do for a stranger, anybody in the
// world can have it do. It is empty, so the agent talks and does nothing else. Only a tool may be added that shows nothing of the
// business, changes nothing in it and reaches nobody but the stranger.
var strangerTools []string

func (t *Team) stranger(v View, _ member, name string) Layer {
	switch {
	case v.Origin != ByStranger:
		return Layer{"stranger", true, "no stranger wrote the message"}
	case slices.Contains(strangerTools, name):
		return Layer{"stranger", true, "strangers may have it used"}
	}
	return Layer{"stranger", false, "a stranger wrote this message, and no stranger may have it used"}
}
