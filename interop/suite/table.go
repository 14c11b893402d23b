package suite

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// Table is the reports as Markdown: a row an agent, a column a scenario, and below it
// what was not passed and why.
func Table(reports []Report) string {
	var b strings.Builder
	b.WriteString("| agent | version |")
	for _, sc := range scenarios {
		b.WriteString(" " + sc.name + " |")
	}
	b.WriteString(" reads |\n| --- | --- |")
	b.WriteString(strings.Repeat(" --- |", len(scenarios)+1) + "\n")
	for _, r := range reports {
		fmt.Fprintf(&b, "| %s | %s |", r.Agent.Title, r.Agent.Version)
		for _, sc := range scenarios {
			fmt.Fprintf(&b, " %s |", r.verdict(sc.name))
		}
		fmt.Fprintf(&b, " %d |\n", r.Reads)
	}
	var notes strings.Builder
	for _, r := range reports {
		for _, result := range r.Results {
			if result.Why != "" {
				fmt.Fprintf(&notes, "- %s, %s: %s: %s\n", r.Agent.Title, result.Scenario, result.Verdict, result.Why)
			}
		}
	}
	if notes.Len() > 0 {
		b.WriteString("\n" + notes.String())
	}
	return b.String()
}

// verdict is that of a scenario; one that was not run in this run was not tried.
func (r Report) verdict(scenario string) Verdict {
	for _, result := range r.Results {
		if result.Scenario == scenario {
			return result.Verdict
		}
	}
	return NotTried
}

// The table stands in the file between these two lines.
const (
	begin = "<!-- table -->\n"
	end   = "<!-- end of table -->\n"
)

// WriteReadme puts a table into a file, in the place of the one that stands there.
func WriteReadme(path, table string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(text, []byte(begin))
	_, foot, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table", path)
	}
	return os.WriteFile(path, []byte(string(head)+begin+table+end+string(foot)), 0o644)
}
