// Package dashboards holds the Grafana dashboards, made by its generator, and fits them to a stack of one's own.
package dashboards

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:generate go run ./generate . ../docs

//go:embed *.json
var made embed.FS

// File is one dashboard as Grafana's provisioning and its import read it.
type File struct {
	Name string // such as fleet.json
	Data []byte
}

// Files are the dashboards as the repository holds them, sorted by name.
func Files() ([]File, error) {
	names, err := fs.Glob(made, "*.json")
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(names))
	for _, name := range names {
		data, err := made.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: name, Data: data})
	}
	return files, nil
}

// Options are what an installation decides. The zero value changes nothing.
type Options struct {
	Source string // name or uid of the Prometheus data source that is chosen at first
	Page   string // where nasight's own page is, without a slash at the end
}

// For are the dashboards for an installation.
func For(options Options) ([]File, error) {
	files, err := Files()
	if err != nil || options == (Options{}) {
		return files, err
	}
	for i, file := range files {
		if files[i].Data, err = options.choose(file.Data); err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", file.Name, err)
		}
	}
	return files, nil
}

// choose sets what is chosen at first. Everything else stays as it is, whatever Grafana makes of it.
func (o Options) choose(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var whole map[string]any
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	templating, _ := whole["templating"].(map[string]any)
	list, _ := templating["list"].([]any)
	for _, one := range list {
		variable, _ := one.(map[string]any)
		switch name := variable["name"]; {
		case name == "datasource" && o.Source != "":
			variable["current"] = chosen(o.Source)
		case name == "nasight" && o.Page != "":
			variable["current"], variable["query"] = chosen(o.Page), o.Page
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

func chosen(value string) map[string]any {
	return map[string]any{"selected": true, "text": value, "value": value}
}

// Write puts files into a directory, which is made if it is not there. It overwrites dashboards of nasight and nothing else: then
// nothing is written.
func Write(directory string, files []File) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return fmt.Errorf("make the directory for the dashboards: %w", err)
	}
	for _, file := range files {
		path := filepath.Join(directory, file.Name)
		if err := replaceable(path, file); err != nil {
			return err
		}
	}
	for _, file := range files {
		path := filepath.Join(directory, file.Name)
		if err := os.WriteFile(path, file.Data, 0o644); err != nil { // Grafana reads it as a user of its own
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}

// replaceable tells of a file that stands where a dashboard is to be written and is another one.
func replaceable(path string, file File) error {
	there, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at what %s is: %w", path, err)
	}
	if uid(there) != uid(file.Data) {
		return fmt.Errorf("%s is there and is not a dashboard of nasight: choose another directory, or move it away", path)
	}
	return nil
}

// uid is a dashboard's; empty for what is none.
func uid(data []byte) string {
	var dashboard struct{ UID string }
	if json.Unmarshal(data, &dashboard) != nil {
		return ""
	}
	return dashboard.UID
}
