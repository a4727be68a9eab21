package rehearsal

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/demo"
	"gatehouse/agentd/lazyre"
)

// wish is what a task asks for, as far as the rehearsal model understands it.
type wish string

// What it understands.
const (
	wantDisk    wish = "disk"
	wantTidy    wish = "tidy"   // delete the old temporary files
	wantDelete  wish = "delete" // a named path
	wantMail    wish = "mail"
	wantNote    wish = "note"
	wantAppend  wish = "append" // add a line to a file
	wantRead    wish = "read"
	wantFile    wish = "file" // the file itself
	wantList    wish = "list"
	wantRun     wish = "run"
	wantHand    wish = "hand" // to a colleague who is named
	wantLong    wish = "long"
	wantPutBack wish = "putback"
	wantKeep    wish = "keep"   // in memory
	wantRecall  wish = "recall" // from memory
	wantHelp    wish = "help"
	wantPlan    wish = "plan"    // something later
	wantPlanned wish = "planned" // what that is
	wantReport  wish = "report"  // what the team did
)

// What an address and a path look like: a path has a slash in it, or is a name with one of the usual endings.
const (
	addressForm = `[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`

	ending   = `\.(?:txt|md|csv|log|tmp|part|html|json|yaml)\b`
	pathForm = `/?(?:[\p{L}\p{N}_.*-]+/)+[\p{L}\p{N}_.*-]*|[\p{L}\p{N}_*-]+` + ending
	newFile  = `(?:(?:an? |the |eine? |die )?(?:new |neue )?(?:text ?)?(?:file|datei)\b)`
)

var (
	address   = lazyre.MustCompile(addressForm)
	filePath  = lazyre.MustCompile(pathForm)
	backticks = lazyre.MustCompile("`([^`]+)`")

	putBack = lazyre.MustCompile(`(?i)\b(put|bring|restore|write|stelle?|leg\w*|spiele?)\b.*\b(back|again|demo|missing|wieder|zurück)\b`)
	demoish = lazyre.MustCompile(`(?i)\b(demo\w*|missing|them|files?|dateien|sie)\b`)
	yes     = lazyre.MustCompile(`(?i)^(yes|yes,? please|please do|ja|ja,? bitte|ok|okay)[.!]?$`)
	long    = lazyre.MustCompile(`(?i)\b(long|detailed|lange?n?|ausführliche?n?)\b.*\b(answer|story|text|explanation|antwort|geschichte|erklärung)\b|\bin (great )?detail\b|\bcount to\b`)
	handTo  = lazyre.MustCompile(`(?is)\b(?:ask|tell|let|hand (?:this|it)? ?(?:over )?to|frag|sag|bitte|gib (?:das|es) an)\s+(?:the |den |die |das |our )?(it[- ]?(?:admin|betreuung)|secretary|dispatcher|front desk|empfang|sekretariat|sekretärin)\b[,:]?\s*(?:to |that |zu |dass )?(.*)`)
	run     = lazyre.MustCompile(`(?is)^\s*(?:please |bitte )?(?:run|execute|start|führe?)\s+(?:the )?(?:shell )?(?:command|befehl|kommando)?\s*:?\s*(.+)$`)
	disk    = lazyre.MustCompile(`(?i)\b(disk|storage|hard drive|free space|space left|festplatte|platte|speicherplatz|speicher)\b`)
	remove  = lazyre.MustCompile(`(?i)\b(delete|remove|clean( up)?|tidy( up)?|clear|lösche?n?|entferne?n?|räume?n?|aufräumen)\b`)
	tempish = lazyre.MustCompile(`(?i)\b(temp|tmp|temporary|temporären?|leftovers?)\b|\btmp/`)
	fetch   = lazyre.MustCompile(`(?i)\b(?:send|give|attach|schicke?|sende|gib|hänge?)\b(?:[^.!?]|\.\S)*\b(?:files?|datei\w*|anhang)\b`)
	mail    = lazyre.MustCompile(`(?i)\b(e-?mails?|mails?|message|write to|send|schick\w*|schreib\w*|maile?)\b`)
	add     = lazyre.MustCompile(`(?is)\b(?:add|append|ergänze|füge)\s+(?:the line |a line |die zeile )?(.+?)\s+(?:to|in|zu|an)\s+(?:the (?:file|list) |die datei )?(` + pathForm + `)`)
	note    = lazyre.MustCompile(`(?i)\b(note|notice|memo|notiz|aushang|notiere?|merk|write down|remember|save)\b|\b(write|put|schreib\w*)\b.+\b(to|into|in)\b.+` + ending + `|\b(create|erstelle?)\s+(` + newFile + `|` + pathForm + `)|\bmake an? (new )?(text ?)?file\b`)
	read    = lazyre.MustCompile(`(?i)\b(read|show|open|cat|print|what (?:does|is in)|what's in|say|lies|zeige?|was steht)\b`)
	ls      = lazyre.MustCompile(`(?i)\b(list|which files|what files|files? (?:are|do we have)|folder|directory|ordner|verzeichnis|welche dateien|auflisten|liste|files? in)\b|^\s*(?:please )?ls\b`)
)

// wishOf reads a task. The order matters: what is more exact comes first.
func wishOf(t turn) wish {
	s, _ := hide(t.task)
	words := filePath.ReplaceAllString(s, " ") // what a file is called is no request
	if _, later := planOf(t.task); later {
		return wantPlan
	}
	switch {
	case briefing.MatchString(words):
		return wantReport
	case planned.MatchString(words):
		return wantPlanned
	case rememberTo.MatchString(s):
		return wantKeep
	case knowsOf.MatchString(s):
		return wantRecall
	case putBack.MatchString(words) && demoish.MatchString(words), yes.MatchString(s) && strings.Contains(t.last, offer(t)):
		return wantPutBack
	case handTo.MatchString(s) && !address.MatchString(s):
		return wantHand
	case address.MatchString(s) && mail.MatchString(s):
		return wantMail
	case fetch.MatchString(s) && filePath.MatchString(s) && !seesFolder(s):
		return wantFile
	case run.MatchString(s):
		return wantRun
	case add.MatchString(s):
		return wantAppend
	case remove.MatchString(words) && leftovers(s) != "":
		return wantTidy
	case remove.MatchString(words) && filePath.MatchString(s):
		return wantDelete
	case notes(s):
		return wantNote
	}
	w := looks(s, words)
	if len(t.files) > 0 && (w == wantList || w == wantHelp) { // what else could be meant by a file that came with it
		return wantRead
	}
	return w
}

// looks is the part of wishOf that changes nothing.
func looks(s, words string) wish {
	switch {
	case long.MatchString(words):
		return wantLong
	case disk.MatchString(words):
		return wantDisk
	case ls.MatchString(words), read.MatchString(words) && seesFolder(s):
		return wantList
	case read.MatchString(s) && filePath.MatchString(s):
		return wantRead
	}
	return wantHelp
}

// leftovers is the glob of the temporary files that a task asks to delete; empty when it names something else.
func leftovers(task string) string {
	p := pathIn(task, "tmp")
	isFolder := !strings.ContainsAny(path.Base(p), ".*")
	switch {
	case !tempish.MatchString(task):
		return ""
	case p == "tmp", p == "*.tmp", p == demo.Old:
		return demo.Old
	case isFolder && tempish.MatchString(strings.Replace(task, p, "", 1)):
		return p + "/*.tmp"
	}
	return ""
}

// notes says whether something shall be written down: a word for that comes before any for reading.
func notes(s string) bool {
	at, other := note.FindStringIndex(s), read.FindStringIndex(s)
	return at != nil && (other == nil || at[0] < other[0] && !strings.HasSuffix(s, "?"))
}

// seesFolder says whether what a task wants to see is a folder.
func seesFolder(s string) bool {
	if p := filePath.FindString(s); p != "" {
		return strings.HasSuffix(strings.TrimRight(p, "."), "/")
	}
	folder := folderIn(s)
	return folder != "." && slices.Contains(demo.Folders(), folder)
}

// needs is the tool that a wish takes, and the colleague whose work it is.
func (w wish) needs() (tool, colleague string) {
	switch w {
	case wantDisk, wantRun:
		return "shell", "it-admin"
	case wantTidy, wantDelete:
		return "file_delete", "it-admin"
	case wantList:
		return "file_list", "it-admin"
	case wantRead:
		return "file_read", "it-admin"
	case wantFile:
		return "attach", "secretary"
	case wantMail:
		return "message", "secretary"
	case wantNote, wantAppend:
		return "file_write", "secretary"
	case wantPutBack:
		return "file_write", "it-admin"
	case wantPlan:
		return "schedule_create", "dispatcher"
	case wantReport:
		return "team_report", "dispatcher"
	case wantPlanned:
		return "schedule_list", "dispatcher"
	case wantKeep:
		return "memory_write", "secretary"
	case wantRecall:
		return "memory_search", "secretary"
	}
	return "", ""
}
