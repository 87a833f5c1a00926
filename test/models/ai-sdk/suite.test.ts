// Goal: the adapter of the AI SDK's interface holds what every adapter has to, through the packages of real providers.

import { describe } from 'vitest'
import { adapterSuite } from '../suite.ts'
import { anthropic } from './drivers.ts'

describe('@ai-sdk/anthropic', () => adapterSuite(anthropic))
