package rehearsal

import (
	"fmt"
	"strconv"
	"strings"

	"gatehouse/agentd/demo"
	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/tool"
)

// pathIn is the first path that a task names; otherwise, when it names none.
func pathIn(task, otherwise string) string {
	if p := filePath.FindString(address.ReplaceAllString(task, " ")); p != "" {
		if p != "./" {
			p = strings.TrimRight(p, "/.")
		}
		return p
	}
	return otherwise
}

var folderWord = lazyre.MustCompile(`(?i)\b(?:in|of|the folder|folder|directory|im ordner|ordner|unter)\s+(?:the |folder |ordner )?([a-z][\w-]*)\b`)

// folderIn is the folder that a task names: as a path, or as a word behind "in".
func folderIn(task string) string {
	if p := pathIn(task, ""); p != "" {
		return p
	}
	if m := folderWord.FindStringSubmatch(task); m != nil && !strings.Contains(" the this that folder data ordner files server disk there ", " "+strings.ToLower(m[1])+" ") {
		return m[1]
	}
	return "."
}

// item is one line of file_list.
type item struct {
	kind string
	size int64
	name string
}

var itemLine = lazyre.MustCompile(`^(file|folder|link|other)\s+(\d+)\s+\S+\s+(".*")$`)

func parseList(text string) []item {
	var all []item
	for line := range strings.Lines(text) {
		m := itemLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		size, err1 := strconv.ParseInt(m[2], 10, 64)
		name, err2 := strconv.Unquote(m[3])
		if err1 == nil && err2 == nil {
			all = append(all, item{m[1], size, name})
		}
	}
	return all
}

func listSkill(t turn) move {
	folder := folderIn(t.task)
	got := t.used("file_list")
	if len(got) == 0 {
		return move{text: t.in("I look into the folder.", "Ich sehe in den Ordner."), uses: []use{{"file_list", map[string]string{"path": folder}}}}
	}
	text := got[len(got)-1].text
	if state, _ := notDone(text); state != "" {
		return move{text: refusalText(t, text) + goneHint(t, folder)}
	}
	items := parseList(text)
	if len(items) == 0 {
		return move{text: t.in("The folder `"+folder+"` is empty.", "Der Ordner `"+folder+"` ist leer.") + goneHint(t, folder)}
	}
	var bytes int64
	lines := make([]string, 0, len(items))
	for _, i := range items {
		bytes += i.size
		if i.kind == "folder" {
			lines = append(lines, "- `"+i.name+"/`")
		} else {
			lines = append(lines, "- `"+i.name+"`, "+tool.Bytes(i.size))
		}
	}
	head := t.in(fmt.Sprintf("`%s` holds %s:", folder, tool.Count(int64(len(items)), "entry", "entries")), fmt.Sprintf("In `%s` liegen %d Einträge:", folder, len(items)))
	return move{text: head + "\n" + strings.Join(lines, "\n")}
}

func readSkill(t turn) move {
	path := pathIn(t.task, "README.txt")
	got := t.used("file_read")
	if len(got) == 0 {
		return move{text: t.in("I read the file.", "Ich lese die Datei."), uses: []use{{"file_read", map[string]string{"path": path}}}}
	}
	text := got[len(got)-1].text
	if state, _ := notDone(text); state != "" {
		return move{text: refusalText(t, text) + goneHint(t, path)}
	}
	return move{text: t.in("This is what stands in `"+path+"`:\n", "Das steht in `"+path+"`:\n") + fenced(cutLines(text, 60))}
}

// cutLines keeps the first n lines and says how many there are.
func cutLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) <= n {
		return s
	}
	return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n… (%d lines in all)", len(lines))
}

// tidySkill looks first, then deletes by glob: the gate measures and freezes what that means.
func tidySkill(t turn) move {
	looked := t.used("file_list")
	if len(looked) == 0 {
		return move{text: t.in("I look at what lies in `tmp`.", "Ich sehe nach, was in `tmp` liegt."), uses: []use{{"file_list", map[string]string{"path": "tmp"}}}}
	}
	if state, _ := notDone(looked[0].text); state != "" {
		return move{text: refusalText(t, looked[0].text) + " " + offer(t)}
	}
	var old int64
	var bytes int64
	for _, i := range parseList(looked[0].text) {
		if i.kind == "file" && strings.HasSuffix(i.name, ".tmp") {
			old, bytes = old+1, bytes+i.size
		}
	}
	if old == 0 {
		return move{text: t.in("There are no temporary files in `tmp`. ", "In `tmp` liegen keine temporären Dateien. ") + offer(t)}
	}
	return deletion(t, demo.Old, t.in(
		fmt.Sprintf("In `tmp` there are %s, %s in all, that nobody needs any more. I ask to delete them.", tool.Count(old, "temporary file", "temporary files"), tool.Bytes(bytes)),
		fmt.Sprintf("In `tmp` liegen %d temporäre Dateien, zusammen %s, die niemand mehr braucht. Ich bitte darum, sie zu entfernen.", old, tool.Bytes(bytes))))
}

func deleteSkill(t turn) move {
	path := pathIn(t.task, "")
	return deletion(t, path, t.in("I ask to delete `"+path+"`.", "Ich bitte darum, `"+path+"` zu entfernen."))
}

func deletion(t turn, path, before string) move {
	done := t.used("file_delete")
	if len(done) == 0 {
		return move{text: before, uses: []use{{"file_delete", map[string]string{"path": path}}}}
	}
	text := done[len(done)-1].text
	first, _, _ := strings.Cut(text, "\n")
	figures, ok := strings.CutPrefix(first, "Deleted ")
	if !ok {
		return move{text: refusalText(t, text)}
	}
	figures = strings.TrimSuffix(figures, ".")
	return move{text: t.in("I have deleted `"+path+"`: "+figures+".", "Ich habe `"+path+"` gelöscht: "+figures+".") + edited(t, text)}
}

// goneHint offers to put the demo files back when one of them is asked for in vain.
func goneHint(t turn, path string) string {
	for _, f := range demo.PutBack() {
		if f.Path == path || strings.HasPrefix(f.Path, strings.TrimSuffix(path, "/")+"/") {
			return " " + offer(t)
		}
	}
	return ""
}
