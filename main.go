// Command socrates puts several AI models at one table and decides from evidence.
package main

func main() {}
