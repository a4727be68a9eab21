package shell

import "gatehouse/agentd/lazyre"

// logs are commands that show what the machine wrote down of strangers: the name that somebody tried to sign in with, the
// address that they asked for. The text of the command decides. Who writes it has not read yet what it shows, so nobody
// hides it; a log that is copied into the data folder first is copied by a call that a person was asked about.
var logs = lazyre.MustCompile(`\b(journalctl|lastb|mailq|postqueue)\b|/var/(log|mail|spool)\b|\bsystemctl\b[^|;&]*\bstatus\b|\b(docker|podman|nerdctl|kubectl|crictl|docker-compose)\b[^|;&]*\blogs\b`)

// showsStrangers says whether what a command prints comes from outside the business.
func showsStrangers(command, output string) bool { return output != "" && logs.MatchString(command) }
