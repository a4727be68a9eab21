package rehearsal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatehouse/agentd/demo"
	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/tool"
)

// pathIn is the first path that a task names; otherwise, when it names none.
func pathIn(task, otherwise string) string {
	bare, _ := hide(task)
	if p := filePath.FindString(address.ReplaceAllString(bare, " ")); p != "" {
		if p != "./" {
			p = strings.TrimRight(p, "/.")
		}
		return p
	}
	return otherwise
}

// The name of a folder stands behind "in", or it is all that follows the word for showing.
var (
	folderWord  = lazyre.MustCompile(`(?i)\b(?:in|of|the folder|folder|directory|im ordner|ordner|unter)\s+(?:the |folder |ordner )*([a-z][\w-]*)\b`)
	folderAlone = lazyre.MustCompile(`(?i)^\s*(?:please |bitte )?(?:list|liste|ls|open|show|zeige?|öffne)\s+(?:-\w+ +)*(?:(?:me|mir|all|my|our|the|die|den|folder|ordner) )*([a-z][\w-]*)(?: (?:folder|directory|ordner|auf|an))?(?:,? (?:please|bitte))?[\s.!?]*$`)
)

// noFolder are words that stand where the name of a folder could.
const noFolder = " the this that folder directory data ordner file files dateien server disk there here all everything content contents please bitte "

// folderIn is the folder that a task names: as a path or as a word.
func folderIn(task string) string {
	if p := pathIn(task, ""); p != "" {
		return p
	}
	for _, m := range append(folderWord.FindAllStringSubmatch(task, -1), folderAlone.FindAllStringSubmatch(task, -1)...) {
		name := strings.ToLower(m[1])
		switch {
		case strings.Contains(noFolder, " "+name+" "):
			continue
		case slices.Contains(demo.Folders(), name):
			return name
		}
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
	if len(t.files) > 0 {
		path = t.files[0]
	}
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

// fileSkill attaches a file to the answer.
func fileSkill(t turn) move {
	path := pathIn(t.task, "README.txt")
	got := t.used("attach")
	if len(got) == 0 {
		return move{text: t.in("I attach the file.", "Ich hänge die Datei an."), uses: []use{{"attach", map[string]string{"path": path}}}}
	}
	text := got[len(got)-1].text
	if state, _ := notDone(text); state != "" {
		return move{text: refusalText(t, text) + goneHint(t, path)}
	}
	return move{text: t.in("Here is `"+path+"`.", "Hier ist `"+path+"`.")}
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
	glob := leftovers(t.task)
	folder := strings.TrimSuffix(glob, "/*.tmp")
	looked := t.used("file_list")
	if len(looked) == 0 {
		return move{text: t.in("I look at what lies in `"+folder+"`.", "Ich sehe nach, was in `"+folder+"` liegt."), uses: []use{{"file_list", map[string]string{"path": folder}}}}
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
		return move{text: t.in("There are no temporary files in `"+folder+"`. ", "In `"+folder+"` liegen keine temporären Dateien. ") + offer(t)}
	}
	return deletion(t, glob, t.in(
		fmt.Sprintf("In `%s` there are %s, %s in all, that nobody needs any more. I ask to delete them.", folder, tool.Count(old, "temporary file", "temporary files"), tool.Bytes(bytes)),
		fmt.Sprintf("In `%s` liegen %d temporäre Dateien, zusammen %s, die niemand mehr braucht. Ich bitte darum, sie zu entfernen.", folder, old, tool.Bytes(bytes))))
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
