// Package gcp serves what Google Cloud serves to nasight, from a model: the metric service of Cloud Monitoring over
// gRPC; NetApp API v1, the metadata server of Compute Engine and a control endpoint over HTTP. What is refused, and in
// which words, follows the real services as far as their documentation and their users' reports tell.
package gcp

import (
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/grpc"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// Options says what is served.
type Options struct {
	Model    *model.Model
	Now      func() time.Time    // the service's time
	Faults   *faults.Set         // what goes wrong
	Access   map[string][]string // project ids by bearer token; nil accepts any
	Instance *model.Instance     // what the metadata server stands for; nil answers 404
}

// Cloud is the services. Register puts one part on a gRPC server, Handler is the other.
type Cloud struct {
	monitoringpb.UnimplementedMetricServiceServer

	model    *model.Model
	now      func() time.Time
	faults   *faults.Set
	access   map[string][]string
	instance *model.Instance
	usage    usage
	conns    connections
	metrics  []*metric
}

// New makes the services of a model.
func New(options Options) *Cloud {
	return &Cloud{
		model: options.Model, now: options.Now, faults: options.Faults, access: options.Access, instance: options.Instance,
		usage: usage{calls: map[callKey]*Calls{}}, conns: connections{open: map[string]closer{}}, metrics: metricTable(),
	}
}

// present is what the fleet is now.
func (c *Cloud) present() *model.Model { return c.model.At(c.clock()) }

// project is the project of an id or a number; nil if there is none.
func (c *Cloud) project(name string) *model.Project {
	for _, project := range c.present().Fleet().Projects {
		if project.ID == name || number(project) == name {
			return project
		}
	}
	return nil
}

// Register puts the metric service on a server. The server has to listen through Listener.
func (c *Cloud) Register(server *grpc.Server) { monitoringpb.RegisterMetricServiceServer(server, c) }

// Usage is what clients have called so far.
func (c *Cloud) Usage() Usage { return c.usage.snapshot() }

// clock is the service's time as the service believes it to be.
func (c *Cloud) clock() time.Time { return c.now().Add(c.faults.Skew()) }
