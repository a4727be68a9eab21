package rehearsal

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/demo"
)

// perStep is how many files it writes at once.
const perStep = 8

// putBackSkill looks which demo files are missing, and writes those again.
func putBackSkill(t turn) move {
	looked := t.used("file_list")
	if len(looked) == 0 {
		m := move{text: t.in("I look which demo files are missing.", "Ich sehe nach, welche Demodateien fehlen.")}
		for _, dir := range demoFolders() {
			m.uses = append(m.uses, use{"file_list", map[string]string{"path": dir}})
		}
		return m
	}
	missing := missingFiles(looked)
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
	return putBackReport(t, tried)
}

func refusedOne(all []result) bool {
	return slices.ContainsFunc(all, func(r result) bool { state, _ := notDone(r.text); return state != "" })
}

func putBackReport(t turn, tried []result) move {
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
	return move{text: t.in(fmt.Sprintf("I have written %d demo files again: %s.", len(done), joined(done, 4)), fmt.Sprintf("Ich habe %d Demodateien wieder angelegt: %s.", len(done), joined(done, 4))) + problem}
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

// demoFolders are the folders in which demo files that can be put back belong.
func demoFolders() []string {
	var all []string
	for _, f := range demo.PutBack() {
		if dir := path.Dir(f.Path); !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// missingFiles compares what should be there with what the lists say.
func missingFiles(looked []result) []demo.File {
	there := map[string]bool{}
	for _, r := range looked {
		for _, i := range parseList(r.text) {
			there[path.Join(pathOf(r.args), i.name)] = true
		}
	}
	var missing []demo.File
	for _, f := range demo.PutBack() {
		if !there[f.Path] {
			missing = append(missing, f)
		}
	}
	return missing
}
