// Goal: the adapter of Anthropic's Messages API holds what every adapter has to, through the real SDK.

import { describe } from 'vitest'
import { adapterSuite } from '../suite.ts'
import { driver } from './driver.ts'

describe('Anthropic', () => adapterSuite(driver))
