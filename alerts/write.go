package alerts

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml"
)

const head = `# Generated for an interval of %s by "nasight rules export"; another interval or another place of the
# runbooks is a flag of that command. docs/alerts.md tells how to use it.
`

// YAML is the file of rules for an installation, as Prometheus and vmalert read it.
func YAML(options Options) ([]byte, error) {
	file, err := Rules(options)
	if err != nil {
		return nil, err
	}
	text, err := encode(file)
	if err != nil {
		return nil, fmt.Errorf("write the rules: %w", err)
	}
	return append(fmt.Appendf(nil, head, duration(options.Interval)), text...), nil
}

func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text, yaml.Indent(2), yaml.IndentSequence(true))
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return text.Bytes(), encoder.Close()
}
