package rehearsal

import (
	"fmt"
	"strconv"
	"strings"

	"gatehouse/agentd/tool"
)

// measure is the command that tells how full the disk of the data folder is.
const measure = "df -k ."

func diskSkill(t turn) move {
	ran := t.used("shell")
	if len(ran) == 0 {
		return move{
			text: t.in("I look at the disk of the data folder.", "Ich sehe mir die Platte des Datenordners an."),
			uses: []use{{"shell", map[string]string{"command": measure}}},
		}
	}
	out := ran[len(ran)-1].text
	if state, _ := notDone(out); state != "" {
		return move{text: refusalText(t, out)}
	}
	rows := parseDF(out)
	if len(rows) == 0 {
		return move{text: t.in("The command answered, but not with figures that I can read:\n", "Der Befehl hat geantwortet, aber nicht mit Zahlen, die ich lesen kann:\n") + fenced(out)}
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.words(t, len(rows) > 1)
	}
	return move{text: strings.Join(lines, "\n")}
}

// volume is one row of df -k.
type volume struct {
	mount      string
	used, free int64 // bytes
}

// parseDF reads every row that has figures; the heading has none.
func parseDF(out string) []volume {
	var all []volume
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		for i := 0; i+4 < len(f); i++ {
			_, err1 := strconv.ParseInt(f[i], 10, 64) // what is kept back for the system counts in it
			used, err2 := strconv.ParseInt(f[i+1], 10, 64)
			free, err3 := strconv.ParseInt(f[i+2], 10, 64)
			if err1 != nil || err2 != nil || err3 != nil || !strings.HasSuffix(f[i+3], "%") {
				continue
			}
			all = append(all, volume{mount: strings.Join(f[i+4:], " "), used: used << 10, free: free << 10})
			break
		}
	}
	return all
}

// full is the share in use in whole percent, as df counts it: what is kept back for the system is not there.
func (v volume) full() int64 {
	if v.used+v.free == 0 {
		return 0
	}
	return (100*v.used + (v.used + v.free) - 1) / (v.used + v.free)
}

func (v volume) words(t turn, named bool) string {
	name := t.in("The disk", "Die Festplatte")
	if named {
		name = "`" + v.mount + "`"
	}
	advice := t.in("That is comfortable.", "Da ist noch viel Platz.")
	switch p := v.full(); {
	case p >= 95:
		advice = t.in("That is nearly full: something should be tidied up now.", "Das ist fast voll: Jetzt sollte aufgeräumt werden.")
	case p >= 80:
		advice = t.in("That is getting tight.", "Das wird knapp.")
	}
	return t.in(
		fmt.Sprintf("%s is **%d %%** full: %s of %s in use, %s free. %s", name, v.full(), tool.Bytes(v.used), tool.Bytes(v.used+v.free), tool.Bytes(v.free), advice),
		fmt.Sprintf("%s ist zu **%d %%** voll: %s von %s belegt, %s frei. %s", name, v.full(), tool.Bytes(v.used), tool.Bytes(v.used+v.free), tool.Bytes(v.free), advice))
}
