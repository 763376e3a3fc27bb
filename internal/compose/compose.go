// Package compose reads docker-compose.yml for tests: what the file of this repository uses of it, strictly.
package compose

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/nasight/nasight/internal/strictyaml"
)

// File is a whole docker-compose.yml.
type File struct {
	Template Service            `yaml:"x-service"` // what services take over by <<
	Services map[string]Service `yaml:"services"`
	Networks map[string]Network `yaml:"networks"`
	Volumes  map[string]Volume  `yaml:"volumes"`
}

// Service is one container. Relative paths are relative to the file.
type Service struct {
	Image           string               `yaml:"image"`
	Build           *Build               `yaml:"build"`
	User            string               `yaml:"user"` // UID:GID
	Command         Words                `yaml:"command"`
	Environment     map[string]string    `yaml:"environment"`
	Ports           []string             `yaml:"ports"`   // ADDRESS:PORT:PORT, the last in the container
	Volumes         []string             `yaml:"volumes"` // SOURCE:TARGET[:ro]
	Tmpfs           []string             `yaml:"tmpfs"`
	Networks        []string             `yaml:"networks"`
	DependsOn       map[string]Condition `yaml:"depends_on"`
	Restart         string               `yaml:"restart"`
	ReadOnly        bool                 `yaml:"read_only"`
	CapDrop         []string             `yaml:"cap_drop"`
	SecurityOpt     []string             `yaml:"security_opt"`
	StopGracePeriod string               `yaml:"stop_grace_period"`
	Logging         Logging              `yaml:"logging"`
	MemLimit        string               `yaml:"mem_limit"`
	CPUs            float64              `yaml:"cpus"` // cores
	PidsLimit       int                  `yaml:"pids_limit"`
	Healthcheck     Healthcheck          `yaml:"healthcheck"`
}

// Build is where an image is built from.
type Build struct {
	Context    string `yaml:"context"`
	Dockerfile string `yaml:"dockerfile"` // relative to the context
}

// Condition is what a service waits for.
type Condition struct {
	Condition string `yaml:"condition"`
}

// Logging is where a service's output goes.
type Logging struct {
	Driver  string            `yaml:"driver"`
	Options map[string]string `yaml:"options"`
}

// Healthcheck is how the engine finds out whether a service is well.
type Healthcheck struct {
	Test        []string `yaml:"test"` // CMD and a command
	Interval    string   `yaml:"interval"`
	Timeout     string   `yaml:"timeout"`
	Retries     int      `yaml:"retries"`
	StartPeriod string   `yaml:"start_period"`
}

// Network is one that services share.
type Network struct {
	Internal bool `yaml:"internal"` // nothing outside is reached from it
}

// Volume is a named one with the engine's defaults.
type Volume struct{}

// Words are a command, written as a list or as one line.
type Words []string

// UnmarshalYAML takes either.
func (w *Words) UnmarshalYAML(unmarshal func(any) error) error {
	var list []string
	if err := unmarshal(&list); err == nil {
		*w = list
		return nil
	}
	var line string
	if err := unmarshal(&line); err != nil {
		return errors.New("a command is a list of words or one line")
	}
	*w = strings.Fields(line)
	return nil
}

// Mount is one of a service's volumes.
type Mount struct {
	Source   string // a path that begins with ., or the name of a volume
	Target   string // in the container
	ReadOnly bool
}

// Mounts are the service's volumes. What is not SOURCE:TARGET[:ro] is an error.
func (s Service) Mounts() ([]Mount, error) {
	mounts := make([]Mount, 0, len(s.Volumes))
	for _, volume := range s.Volumes {
		parts := strings.Split(volume, ":")
		if len(parts) < 2 || len(parts) > 3 || len(parts) == 3 && parts[2] != "ro" {
			return nil, fmt.Errorf("volume %q: want SOURCE:TARGET or SOURCE:TARGET:ro", volume)
		}
		mounts = append(mounts, Mount{parts[0], parts[1], len(parts) == 3})
	}
	return mounts, nil
}

// Bind tells whether it is a file or directory of the repository.
func (m Mount) Bind() bool { return strings.HasPrefix(m.Source, ".") }

// variable is one that compose puts in: ${NAME} or ${NAME:-DEFAULT}.
var variable = regexp.MustCompile(`\$\{([A-Z_]+)(:-([^}]*))?\}`)

// Variables are the names of the variables that a file reads from the environment or .env.
func Variables(text []byte) []string {
	var names []string
	for _, match := range variable.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	return names
}

// Load reads a file with values for its variables; one without a value has the default that the file names.
func Load(name string, values map[string]string) (File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return File{}, fmt.Errorf("read the services: %w", err)
	}
	return Parse(name, text, values)
}

// Parse reads the text of a file. A variable with neither a value nor a default is an error, as is a key that is not known.
func Parse(name string, text []byte, values map[string]string) (File, error) {
	var missing []string
	filled := variable.ReplaceAllStringFunc(string(text), func(found string) string {
		match := variable.FindStringSubmatch(found)
		if value := values[match[1]]; value != "" {
			return value
		}
		if match[2] == "" {
			missing = append(missing, match[1])
		}
		return match[3]
	})
	if missing != nil {
		return File{}, fmt.Errorf("%s: no value and no default for %s", name, strings.Join(missing, ", "))
	}
	var file File
	if err := strictyaml.Unmarshal(name, []byte(filled), &file); err != nil {
		return File{}, err
	}
	return file, nil
}

// Environment reads a file of lines NAME=VALUE, such as .env.
func Environment(text []byte) (map[string]string, error) {
	values := map[string]string{}
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: %q is not NAME=VALUE", number+1, line)
		}
		values[name] = value
	}
	return values, nil
}
