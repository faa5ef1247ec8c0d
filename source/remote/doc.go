// Package remote makes the operations of another server our own: of another twodoor, over its REST
// API, or of a bridge-compatible orchestrator, over its tool routes.
//
// [Source.Read] asks the far side what it has; the [Invoker] calls it there. As a relay ([Source.Relay])
// it is the far half of a bridge: names stay what they are there, and the far side does all the
// shaping. Start with [Source.Look]; plan.go says what an operation keeps for its call.
package remote
