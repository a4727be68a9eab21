package rehearsal

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/demo"
	"gatehouse/agentd/tool"
)

// perStep is how many files it writes at once.
const perStep = 8

// putBackSkill looks which demo files are missing, and writes those again.
func putBackSkill(t turn) move {
	looked := t.used("file_list")
	if len(looked) == 0 {
		m := move{text: t.in("I look which demo files are missing.", "Ich sehe nach, welche Demodateien fehlen.")}
		for _, dir := range demo.Folders() {
			m.uses = append(m.uses, use{"file_list", map[string]string{"path": dir}})
		}
		return m
	}
	missing, lost := missingFiles(looked)
	if len(missing) == 0 && len(lost) > 0 {
		return move{text: strings.TrimSpace(lostReport(t, lost))}
	}
	if len(missing) == 0 {
		return move{text: t.in("No demo file is missing.", "Es fehlt keine Demodatei.")}
	}
	tried := t.used("file_write")
	if n := len(tried); n < len(missing) && !refusedOne(tried) {
		m := move{text: t.in(fmt.Sprintf("%d of %d are missing; I write the next ones.", len(missing)-n, len(missing)), fmt.Sprintf("%d von %d fehlen; ich schreibe die nächsten.", len(missing)-n, len(missing)))}
		for _, f := range missing[n:min(n+perStep, len(missing))] {
			m.uses = append(m.uses, use{"file_write", map[string]string{"path": f.Path, "content": string(f.Body)}})
		}
		return m
	}
	return putBackReport(t, tried, lost)
}

func refusedOne(all []result) bool {
	return slices.ContainsFunc(all, func(r result) bool { state, _ := notDone(r.text); return state != "" })
}

func putBackReport(t turn, tried []result, lost []string) move {
	var done []string
	problem := ""
	for _, r := range tried {
		if state, _ := notDone(r.text); state != "" {
			problem = " " + refusalText(t, r.text)
			continue
		}
		done = append(done, pathOf(r.args))
	}
	if len(done) == 0 {
		return move{text: strings.TrimSpace(problem)}
	}
	return move{text: t.in(fmt.Sprintf("I have written %s again: %s.", tool.Count(int64(len(done)), "demo file", "demo files"), joined(done, 4)), fmt.Sprintf("Ich habe %d Demodateien wieder angelegt: %s.", len(done), joined(done, 4))) + problem + lostReport(t, lost)}
}

// lostReport says what is missing and cannot be written again; empty when that is nothing.
func lostReport(t turn, lost []string) string {
	if len(lost) == 0 {
		return ""
	}
	all := strings.Join(lost, t.in(" and ", " und "))
	return t.in(" I cannot make "+all+" again: they bear the dates of the day on which the demo was set up.",
		" Nicht wiederherstellen kann ich "+all+": Sie tragen die Daten des Tages, an dem die Demo eingerichtet wurde.")
}

func pathOf(args string) string {
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal([]byte(args), &in) != nil {
		return "?"
	}
	return in.Path
}

// missingFiles compares what should be there with what the lists say. Of the files that cannot be written again it
// says how many are lost, by folder.
func missingFiles(looked []result) (missing []demo.File, lost []string) {
	there := map[string]bool{}
	for _, r := range looked {
		for _, i := range parseList(r.text) {
			there[path.Join(pathOf(r.args), i.name)] = true
		}
	}
	for _, f := range demo.PutBack() {
		if !there[f.Path] {
			missing = append(missing, f)
		}
	}
	for glob, n := range demo.Dated() {
		for p := range there {
			if ok, err := path.Match(glob, p); err == nil && ok {
				n--
			}
		}
		if n > 0 {
			lost = append(lost, tool.Count(int64(n), "file", "files")+" of `"+path.Dir(glob)+"`")
		}
	}
	slices.Sort(lost)
	return missing, lost
}
