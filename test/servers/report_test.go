//go:build servers

package servers

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// printLimit is how long the browser may take for one page.
const printLimit = 2 * time.Minute

// browser starts Debian's Chromium without a window, in a profile of its own, and returns what it says.
func browser(t *testing.T, arguments ...string) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is missing: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), printLimit)
	defer cancel()
	command := exec.CommandContext(ctx, path, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--enable-logging=stderr", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
	}, arguments...)...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("chromium %q: %v\n%s", arguments, err, output)
	}
	return string(output)
}

// page serves the example of a report, and notes what is asked for.
func page(t *testing.T) (url string, asked func() []string) {
	t.Helper()
	return serving(t, example(t))
}

func example(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../docs/examples/nasight-weekly-2026-W48.html")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serving serves a text as a report. At /narrow.html is a window of it, 420 pixels wide, that says what does not fit.
func serving(t *testing.T, text []byte) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.URL.Path)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/narrow.html" {
			_, _ = w.Write([]byte(narrow))
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/report.html", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return paths
	}
}

// TestReportInABrowser: the page loads nothing beside itself, its own policy would refuse it, and nothing is said on the console.
func TestReportInABrowser(t *testing.T) {
	url, asked := page(t)
	picture := filepath.Join(t.TempDir(), "page.png")
	said := browser(t, "--window-size=1280,1000", "--screenshot="+picture, url)
	for _, line := range strings.Split(said, "\n") {
		if strings.Contains(line, "CONSOLE") || strings.Contains(line, "Refused to") {
			t.Errorf("the console says: %s", line)
		}
	}
	if paths := asked(); len(paths) != 1 || paths[0] != "/report.html" {
		t.Errorf("asked for %q, want the page alone", paths)
	}
	data, err := os.ReadFile(picture)
	if err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) || len(data) < 20_000 {
		t.Errorf("the picture has %d bytes, %v", len(data), err)
	}
	if keep := os.Getenv("NASIGHT_REPORT_PICTURE"); keep != "" {
		if err := os.WriteFile(keep, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const narrow = `<!doctype html><html><body><iframe src="/report.html" style="width:420px;height:900px;border:0"></iframe><pre></pre><script>
onload = () => {
  const page = document.querySelector("iframe").contentDocument, cut = [];
  for (const one of page.querySelectorAll("html, .prose, .prose td, .prose th, .summary, nav"))
    if (one.getBoundingClientRect().right > 420 || one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1) cut.push(one.tagName + " " + one.className);
  document.querySelector("pre").textContent = page.querySelectorAll(".prose td").length + " cells, cut: " + cut.join(", ") + ".";
}
</script></body></html>`

// TestReportOnATelephone: nothing that is to be read is cut off at a width of 420 pixels.
func TestReportOnATelephone(t *testing.T) {
	url, _ := page(t)
	said := browser(t, "--dump-dom", strings.Replace(url, "report.html", "narrow.html", 1))
	_, said, _ = strings.Cut(said, "<pre>")
	if said, _, _ = strings.Cut(said, "</pre>"); !strings.HasSuffix(said, " cells, cut: .") || strings.HasPrefix(said, "0 ") {
		t.Errorf("%.500s", said)
	}
}

// TestHeadsStayWithTheirRows: wherever a table begins on a page, its head is not alone at the page's end. Without the rule it is at
// one of these heights, so that the test would see it.
func TestHeadsStayWithTheirRows(t *testing.T) {
	text := string(example(t))
	before, after, found := strings.Cut(text, "By volume and share")
	head, _, _ := strings.Cut(before, "<body>")
	rows, _, whole := strings.Cut(after, "</table>")
	if !found || !whole {
		t.Fatal("the example has no table of volumes")
	}
	table := before[strings.LastIndex(before, "<div"):] + "By volume and share" + rows + "</table>"
	const rule = "tbody tr:first-child { break-before: avoid; }"
	stranded := func(head string, spacer int) bool {
		url, _ := serving(t, []byte(fmt.Sprintf(`%s<body><div style="height:%dmm">above</div>%s</div></body></html>`, head, spacer, table)))
		printed := filepath.Join(t.TempDir(), "page.pdf")
		browser(t, "--no-pdf-header-footer", "--print-to-pdf="+printed, url)
		data, err := os.ReadFile(printed)
		if err != nil {
			t.Fatal(err)
		}
		document, err := readPDF(data)
		if err != nil {
			t.Fatal(err)
		}
		first := document.pages[0]
		return strings.Contains(first, "reachable") && !strings.Contains(first, "examplessd")
	}
	if !strings.Contains(head, rule) || !strings.Contains(head, "break-after: avoid; }") {
		t.Fatal("the style has no rule that keeps heads and rows together")
	}
	without := strings.Replace(strings.Replace(head, rule, "", 1), "break-inside: avoid; break-after: avoid; }", "}", 1)
	seen := 0
	for spacer := 236; spacer <= 260; spacer += 3 {
		if stranded(head, spacer) {
			t.Errorf("below %d mm the head of a table is alone at the end of a page", spacer)
		}
		if stranded(without, spacer) {
			seen++
		}
	}
	if seen == 0 {
		t.Error("no height strands a head where there is no rule: the test says nothing")
	}
}

// TestReportOnPaper: the page is printed to A4, and a table that goes over several pages has its head on each of them.
func TestReportOnPaper(t *testing.T) {
	url, _ := page(t)
	printed := filepath.Join(t.TempDir(), "page.pdf")
	browser(t, "--no-pdf-header-footer", "--print-to-pdf="+printed, url)
	data, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	document, err := readPDF(data)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(document.pages); n < 5 || n > 40 {
		t.Errorf("%d pages", n)
	}
	if !strings.Contains(document.pages[0], "What to do on Monday") {
		t.Errorf("the first page is %.300q", document.pages[0])
	}
	for i, size := range document.sizes {
		if size != "594.95996 841.91998" {
			t.Errorf("page %d has the size %s, want A4", i+1, size)
		}
	}
	var heads []int // pages with the head of the table of volumes, which is longer than a page
	for i, text := range document.pages {
		if strings.Contains(text, "op/s") && strings.Contains(text, "Idle*") {
			heads = append(heads, i)
		}
	}
	if len(heads) < 2 {
		t.Errorf("the head of the volumes' table is on %d pages, want each that the table is on", len(heads))
	}
	for i := 1; i < len(heads); i++ {
		if heads[i] != heads[i-1]+1 {
			t.Errorf("the head of the volumes' table is on pages %v, with a hole", heads)
		}
	}
}
