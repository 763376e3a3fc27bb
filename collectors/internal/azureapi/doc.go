// Package azureapi is what the collectors of Azure have in common: who asks and where, the pace of the requests of a
// subscription, the reasons of failures, the form of Azure Monitor's answers, and which span of them is read next.
package azureapi
