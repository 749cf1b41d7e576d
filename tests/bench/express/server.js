// Answers every request with the body of a file, read once at the start:
//
//   node server.js BODY CONTENT-TYPE
//
// Prints its port on a line of its own when it listens, and ends with its
// standard input.
'use strict'

const express = require('express')
const { readFileSync } = require('node:fs')

const [file, type] = process.argv.slice(2)
const body = readFileSync(file)

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use((request, response) => {
  response.set('Content-Type', type)
  response.send(body)
})

const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit(0)).resume()
