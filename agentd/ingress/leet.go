package ingress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

var (
	leetWord  = lazyre.MustCompile(`[\pL]*[0-9@$!|+€£(<][\pL0-9@$!|+€£(<]*\pL[\pL0-9@$!|+€£(<]*|\pL+[0-9@$!|+€£(<]+[\pL0-9@$!|+€£(<]*`)
	leetSigns = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "6", "g", "7", "t", "8", "b", "9", "g",
		"@", "a", "$", "s", "!", "i", "|", "l", "+", "t", "€", "e", "£", "l", "(", "c", "<", "c")
	leetMarks = "01345678@$"
	leetEll   = strings.NewReplacer("1", "l")
)

// leet reads digits and signs inside words as the letters they look like.
func leet(s string) []string {
	var b strings.Builder
	n := 0
	for field := range strings.SplitAfterSeq(fold(s), " ") {
		if strings.ContainsAny(field, leetMarks) {
			field = leetWord.ReplaceAllStringFunc(field, func(w string) string {
				if !strings.ContainsAny(w, leetMarks) {
					return w
				}
				n++
				return unleet(w)
			})
		}
		b.WriteString(field)
	}
	if n < 2 {
		return nil
	}
	return []string{b.String()}
}

// leetWords reads only the words that digits and signs disguise.
func leetWords(s string) (found []string) {
	for field := range strings.SplitSeq(fold(s), " ") {
		if !strings.ContainsAny(field, leetMarks) {
			continue
		}
		for _, w := range leetWord.FindAllString(field, -1) {
			if strings.ContainsAny(w, leetMarks) {
				found = append(found, unleet(w))
			}
		}
	}
	return joined(found)
}

// unleet takes the reading that means something.
func unleet(w string) string {
	if t := leetSigns.Replace(leetEll.Replace(w)); meaning(strings.ToLower(t)) != 0 {
		return strings.ToLower(t)
	}
	return strings.ToLower(leetSigns.Replace(w))
}
