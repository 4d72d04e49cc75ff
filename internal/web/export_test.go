package web

// Public is for tests: no address of the public internet can be dialled in one.
var Public = public

// Dialling is for tests, for the same reason.
var Dialling = Client.dialling

// Redirect is for tests: a server with a certificate that is trusted cannot be had in one.
var Redirect = Client.redirect
