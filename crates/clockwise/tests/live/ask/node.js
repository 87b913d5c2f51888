// Asks one of npm's clients or rings which server owns a key: `node node.js LIBRARY < QUESTION`. Question
// and answer are those of python.py; where the library is found, NODE_PATH says. No server is asked.
'use strict'

const { readFileSync } = require('fs')

const weights = pool => Object.fromEntries(pool.servers.map(({ name, weight }) => [name, weight]))

const LIBRARIES = {
  hashring (pool) {
    const HashRing = require('hashring')
    const { algorithm, compatibility, default_port: port, vnode_count: count } = pool.options
    const options = { compatibility, 'vnode count': count }
    if (port !== null) options['default port'] = port
    const ring = new HashRing(weights(pool), algorithm, options)
    return key => ring.get(key)
  },
  memcached (pool) {
    const Memcached = require('memcached')
    const client = new Memcached(weights(pool), pool.options)
    let asked
    client.connect = server => { asked = server }
    return key => {
      asked = undefined
      client.get(key, () => {})
      return asked
    }
  },
  ketama (pool) {
    const { HashRing } = require('ketama')
    const ring = new HashRing(pool.servers.map(({ name, weight }) => ({ node: name, weight })))
    return key => ring.getNode(key)
  },
  memjs (pool) {
    const { Client } = require('memjs')
    const client = Client.create(pool.servers.map(({ name }) => name).join(','))
    return key => pool.servers[client.getServer(key)].name
  }
}

function owners (library, pool) {
  const names = pool.servers.map(({ name }) => name)
  const owner = LIBRARIES[library](pool)
  return pool.keys.map(key => names.indexOf(owner(key)))
}

function answer (library) {
  const { pools } = JSON.parse(readFileSync(0, 'utf8'))
  try {
    const { version } = require(`${library}/package.json`)
    return { version, owners: pools.map(pool => owners(library, pool)) }
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    return { missing: error.message.split('\n')[0] }
  }
}

console.log(JSON.stringify(answer(process.argv[2])))
